export default {
  title: "Tin tức",
  hot: "Chủ đề nổi bật",
  views: "{count, plural, other {# lượt xem}}",
  tabs: "Loại bài viết",
  tabEmpty: "Chưa có bài viết nào ở đây.",
  article: "Bài viết",
  noArticle: "Không tìm thấy bài viết này.",
  toNews: "Đến trang tin tức",
  readAll: "Đánh dấu đã đọc tất cả",
  notRead: "Chưa đọc",
  kinds: {
    announcement: "Thông báo của nền tảng",
    message: "Tin nhắn nội bộ",
    account: "Tài khoản của bạn",
  },
};
