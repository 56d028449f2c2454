export default {
  title: "ニュース",
  hot: "注目のトピック",
  views: "{count, plural, other {閲覧数 #}}",
  tabs: "記事の種類",
  tabEmpty: "記事はまだありません。",
  article: "記事",
  noArticle: "この記事は見つかりません。",
  toNews: "ニュースへ",
  readAll: "すべて既読にする",
  notRead: "未読",
  kinds: {
    announcement: "運営からのお知らせ",
    message: "サイト内メッセージ",
    account: "アカウントのお知らせ",
  },
};
