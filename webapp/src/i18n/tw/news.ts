export default {
  title: "資訊",
  hot: "熱門話題",
  views: "{count, plural, other {# 次瀏覽}}",
  tabs: "文章分類",
  tabEmpty: "這裡還沒有文章。",
  article: "文章",
  noArticle: "沒有這篇文章。",
  toNews: "查看資訊",
  readAll: "全部標為已讀",
  notRead: "未讀",
  kinds: {
    announcement: "平台公告",
    message: "站內信",
    account: "帳號通知",
  },
};
