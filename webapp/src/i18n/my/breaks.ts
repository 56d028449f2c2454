export default {
  title: "Had dan rehat",
  timeOut: "Rehat sehingga {time}. Tiada taruhan dan deposit; pengeluaran kekal dibuka.",
  excluded:
    "Pengecualian diri sehingga {time}. Tiada taruhan dan deposit; pengeluaran kekal dibuka.",
  forGood: "Pengecualian diri selama-lamanya. Tiada taruhan dan deposit; pengeluaran kekal dibuka.",
  closed: "Akaun ini ditutup untuk taruhan dan deposit; pengeluaran kekal dibuka.",
  withdraw: "Keluarkan",
};
