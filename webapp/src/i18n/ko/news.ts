export default {
  title: "뉴스",
  hot: "인기 주제",
  views: "{count, plural, other {조회 #회}}",
  tabs: "글 종류",
  tabEmpty: "아직 글이 없습니다.",
  article: "글",
  noArticle: "해당 글이 없습니다.",
  toNews: "뉴스로 이동",
  readAll: "모두 읽음으로 표시",
  notRead: "읽지 않음",
  kinds: {
    announcement: "플랫폼 공지",
    message: "사이트 메시지",
    account: "계정 알림",
  },
};
