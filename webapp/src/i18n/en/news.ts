export default {
  title: "News",
  hot: "Hot topics",
  views: "{count, plural, one {# view} other {# views}}",
  tabs: "Kinds of articles",
  tabEmpty: "There are no articles here yet.",
  article: "Article",
  noArticle: "There is no such article.",
  toNews: "Go to the news",
  readAll: "Mark all as read",
  notRead: "Unread",
  kinds: {
    announcement: "Platform announcement",
    message: "In-site message",
    account: "Your account",
  },
} as const;
