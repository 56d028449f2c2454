export default {
  title: "Новости",
  hot: "Горячие темы",
  views:
    "{count, plural, one {# просмотр} few {# просмотра} many {# просмотров} other {# просмотра}}",
  tabs: "Разделы статей",
  tabEmpty: "Здесь пока нет статей.",
  article: "Статья",
  noArticle: "Такой статьи нет.",
  toNews: "К новостям",
  readAll: "Прочитать все",
  notRead: "Не прочитано",
  kinds: {
    announcement: "Объявление платформы",
    message: "Сообщение",
    account: "Ваш аккаунт",
  },
};
