export default {
  title: "Apa yang ditunjukkan oleh semakan",
  lead: "Anda tidak perlu mempercayai penganjur: telefon anda mengira semula setiap cabutan dan mencari taruhan anda dalam rekod penganjur. Halaman ini menerangkan apa yang ditunjukkan, dan apa yang tidak.",
  about: "Apa yang ditunjukkan dan apa yang tidak",
  parties: {
    title: "Dua pihak membuat cabutan",
    text1:
      "Cabutan dikira daripada dua rahsia: satu milik penganjur, satu lagi milik saksi. Sebelum jualan pertama hari itu, kedua-duanya menerbitkan nilai yang menetapkan rahsia mereka, jadi rahsia tidak boleh ditukar kemudian.",
    text2:
      "Apabila jualan ditutup, penganjur menandatangani senarai semua taruhan. Hanya selepas itu saksi mendedahkan rahsianya. Digit terhasil daripada kedua-dua rahsia dan senarai itu, jadi tiada satu pihak pun boleh mengetahui atau memilihnya sendiri semasa taruhan diterima.",
  },
  self: {
    title: "Penganjur menjadi saksi sendiri",
    text1:
      "Jika bukti menyatakan ini, penganjur juga menjalankan saksi dan memegang kedua-dua rahsia. Penganjur boleh mengetahui cabutan lebih awal, atau mencuba pelbagai senarai taruhan sehingga cabutan sesuai dengannya, dan telefon anda tidak dapat melihatnya. Hanya saksi yang dijalankan oleh orang lain, atau suar awam yang ditunjukkan dalam bukti, dapat menolak kemungkinan ini.",
  },
  receipt: {
    title: "Resit anda",
    text1:
      "Untuk setiap taruhan, anda menerima resit bertandatangan dengan pusingan, jenis, jumlah taruhan, odds dan masanya.",
    text2:
      "Telefon anda menyemak bahawa resit anda ada dalam senarai yang ditandatangani, dan bahawa anda dibayar mengikut odds. Jika tidak, resit itulah buktinya: penganjur tidak boleh menafikan tandatangannya.",
  },
  log: {
    title: "Log",
    text1:
      "Penganjur menulis semua yang berlaku dalam satu log: deposit, taruhan, cabutan, bayaran. Kira-kira setiap saat, penganjur menandatangani panjang log dan cap jari keseluruhannya. Itulah titik semak.",
    text2:
      "Telefon anda menyemak tandatangan itu, dan bahawa taruhan anda dalam pusingan ini ada dalam log.",
  },
  kept: {
    title: "Titik semak yang disimpan oleh telefon anda",
    text1:
      "Telefon anda menyimpan titik semak yang pernah dilihatnya. Pada setiap semakan, log hari ini mesti menyambungnya. Jika penganjur mengubah atau membuang catatan lama, semakan gagal dan telefon memberi amaran.",
    text2:
      "Titik semak disimpan dalam pelayar ini sahaja. Selepas anda memadam datanya, semakan seterusnya bermula semula.",
  },
  compare: {
    title: "Membandingkan dengan orang lain",
    text1:
      "Penganjur boleh menunjukkan log yang berbeza kepada dua orang, masing-masing tanpa cacat. Satu telefon sahaja tidak dapat mengesannya. Dua telefon boleh.",
    text2:
      "Dalam bukti cabutan, buka “Bandingkan dengan telefon lain” dan tampal titik semak yang dihantar oleh rakan. Jika log berbeza, simpan kedua-dua titik semak sebagai bukti.",
    text3:
      "Jika aplikasi mempunyai dua talian, telefon anda juga membandingkan apa yang ditunjukkan oleh kedua-duanya. Kedua-duanya milik penganjur, jadi telefon rakan di tempat lain menunjukkan lebih banyak.",
  },
  evidence: {
    title: "Fail bukti",
    text1:
      "Fail yang disimpan daripada bukti cabutan atau daripada akaun anda mengandungi semua yang diperlukan oleh orang lain untuk menyemaknya, tanpa aplikasi ini dan tanpa penganjur. Fail itu menunjukkan nombor pemain anda, tanpa nama. Fail daripada bukti cabutan menunjukkan taruhan anda, manakala fail daripada akaun anda menunjukkan semua rekod wang anda: deposit, taruhan, bayaran dan selebihnya.",
    text2:
      "Simpan semasa pusingan sedang dijual dan sekali lagi selepas cabutan: kemudian anda boleh menunjukkan bahawa tiada apa-apa yang ditukar.",
  },
  limits: {
    title: "Apa yang tidak ditunjukkan",
    paid: "Bahawa penganjur membayar. Log menunjukkan jumlah yang perlu dibayar kepada anda, bukan bahawa wang itu sampai.",
    odds: "Bahawa odds menguntungkan. Semua cabutan sama mungkin, tetapi secara purata hampir setiap taruhan memulangkan kurang daripada jumlah yang dipertaruhkan. Statistik menunjukkan berapa banyak.",
    together:
      "Bahawa penganjur dan saksi tidak bersubahat. Jika mereka berkongsi rahsia, sama sahaja seperti penganjur menjadi saksi sendiri.",
    refused:
      "Bahawa setiap taruhan diterima. Taruhan yang ditolak oleh penganjur tidak mempunyai resit.",
    others: "Siapa pemain lain. Senarai menunjukkan bilangan taruhan, bukan pemiliknya.",
    app: "Bahawa aplikasi ini jujur: penganjur yang menyediakannya. Fail bukti boleh disemak dengan program lain.",
  },
};
