export default {
  title: "资讯",
  hot: "热门话题",
  views: "{count, plural, other {# 次浏览}}",
  tabs: "文章分类",
  tabEmpty: "这里还没有文章。",
  article: "文章",
  noArticle: "没有这篇文章。",
  toNews: "查看资讯",
  readAll: "全部标为已读",
  notRead: "未读",
  kinds: {
    announcement: "平台公告",
    message: "站内信",
    account: "账号通知",
  },
};
