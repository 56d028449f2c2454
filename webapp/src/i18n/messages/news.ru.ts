export default {
  title: "Новости",
  hot: "Горячие темы",
  views:
    "{count, plural, one {# просмотр} few {# просмотра} many {# просмотров} other {# просмотра}}",
  tabs: "Разделы",
  tabEmpty: "Здесь пока нет статей.",
  article: "Статья",
  noArticle: "Такой статьи нет.",
  toNews: "К новостям",
  unread:
    "{count, plural, =0 {Всё прочитано} one {# непрочитанное сообщение} few {# непрочитанных сообщения} many {# непрочитанных сообщений} other {# непрочитанного сообщения}}",
  readAll: "Прочитать все",
  notRead: "Не прочитано",
  kinds: {
    announcement: "Объявление платформы",
    message: "Сообщение",
    account: "Ваш счёт",
  },
};
