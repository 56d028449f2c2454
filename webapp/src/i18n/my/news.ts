export default {
  title: "Berita",
  hot: "Topik hangat",
  views: "{count, plural, other {# tontonan}}",
  tabs: "Jenis artikel",
  tabEmpty: "Belum ada artikel di sini.",
  article: "Artikel",
  noArticle: "Artikel ini tidak wujud.",
  toNews: "Ke berita",
  readAll: "Tanda semua dibaca",
  notRead: "Belum dibaca",
  kinds: {
    announcement: "Pengumuman platform",
    message: "Mesej dalam aplikasi",
    account: "Akaun anda",
  },
};
