export default {
  title: "Bukti cabutan",
  round: "{game}, pusingan {issue}",
  drawnAt: "Dicabut pada {time}",
  drawDue: "Akan dicabut pada {time}",
  checking: "Sedang disemak pada telefon ini…",
  verdict: {
    right: "Disemak pada telefon ini: semuanya sepadan.",
    wrong: "Ada yang tidak sepadan. Simpan buktinya: sesiapa pun boleh menyemaknya.",
    later: "Belum selesai. Apa yang diterbitkan setakat ini sepadan.",
    voided: "Disemak pada telefon ini: pusingan ini tidak pernah dicabut, dan selebihnya sepadan.",
  },
  voided: "Pusingan ini dimansuhkan dan semua taruhan dipulangkan. Sebab yang diberikan: {reason}",
  voidStatus: {
    unattested: {
      title: "Tidak disahkan.",
      text: "Saksi tidak menyatakan sama ada nilai rahsianya telah dilepaskan, jadi pembatalan ini dipersetujui oleh dua pengurus.",
    },
    breach: {
      title: "Pelanggaran.",
      text: "Saksi telah melepaskan nilai rahsianya, tetapi rumah tidak dapat menyelesaikan cabutan. Ini melanggar peraturannya sendiri.",
    },
  },
  selfWitnessed: "Penganjur menjadi saksi sendiri.",
  selfWitnessedText: "Penganjur sendiri yang menjalankan saksi, pada mesin yang sama.",
  marks: {
    right: "Betul:",
    wrong: "Salah:",
    later: "Belum ada:",
    wrongText: "Ini tidak sepadan dengan apa yang diterbitkan.",
  },
  atClose: "Menyusul apabila jualan ditutup.",
  atDraw: "Menyusul bersama cabutan.",
  steps: {
    day: {
      title: "Komitmen sebelum jualan pertama",
      text: "Penganjur dan saksi masing-masing menerbitkan hujung rantaian rahsia hari itu, dan kedua-duanya telah menandatanganinya.",
    },
    frozen: {
      title: "Senarai taruhan bermeterai",
      text: "{count, plural, =0 {Tiada taruhan. Penganjur menandatangani cincangan yang menyatakan demikian.} other {Kesemua # taruhan yang kekal dicincang menjadi satu nilai, yang ditandatangani oleh penganjur.}}",
    },
    operator: {
      title: "Rahsia penganjur",
      text: "Selepas dicincang {times, plural, other {# kali}}, rahsia pusingan ini menghasilkan nilai yang diterbitkan oleh penganjur sebelum jualan pertama. Tiada rahsia lain yang akan menghasilkannya.",
    },
    witness: {
      title: "Rahsia saksi",
      text: "Rahsia ini membawa kepada nilai yang telah diterbitkan oleh saksi, dan saksi menandatangani bahawa rahsia itu diserahkan untuk senarai bermeterai ini sahaja.",
      cancelled:
        "Rahsia ini membawa kepada nilai yang telah diterbitkan oleh saksi, dan saksi menandatangani bahawa rahsia itu tidak pernah diserahkan untuk cabutan.",
    },
    digits: {
      title: "Digit",
      text: "Digit diperoleh daripada kedua-dua rahsia dan senarai bermeterai. Apabila dikira semula pada telefon ini (HMAC-SHA256), digit itu sama dengan yang diterbitkan.",
    },
    sum: {
      title: "Jumlah",
      text: "{a, number} + {b, number} + {c, number} = {sum, number}",
    },
  },
  bets: {
    title: "Taruhan anda dalam pusingan ini",
    stake: "{kind}, {amount}u",
    inList: "Nombor {place, number} daripada {count, number} dalam senarai bermeterai.",
    notInList: "Tiada dalam senarai bermeterai, walaupun anda mempunyai resitnya.",
    notMine: "Resit ini bukan milik anda, atau bukan untuk pusingan ini.",
    unproved:
      "Penganjur tidak memberikan laluan untuk taruhan ini, jadi tempatnya dalam senarai tidak disemak.",
    notSealed: "Senarai dimeterai apabila jualan ditutup.",
    paid: "Dibayar {amount}u, mengikut oddsnya.",
    paidWrong: "Dibayar {amount}u, tidak mengikut oddsnya.",
    returned: "Amaun taruhan telah dipulangkan.",
    returning: "Amaun taruhan sedang dipulangkan.",
  },
  limits: {
    title: "Apa yang tidak dibuktikan",
    self: "Bahawa tiada sesiapa tahu keputusan lebih awal: sesiapa yang mengawal mesin dengan kedua-dua rahsia boleh tahu. Hanya saksi yang dijalankan oleh pihak lain menolak kemungkinan itu.",
    before:
      "Bahawa nilai yang diterbitkan sudah ada sebelum jualan pertama. Buka satu pusingan semasa jualan, simpan buktinya, dan bandingkan kemudian.",
    others:
      "Siapa pemilik taruhan lain. Senarai bermeterai menunjukkan bilangannya dan jumlah taruhan bagi setiap jenis.",
    edge: "Bahawa bermain itu menguntungkan. Semua keputusan sama kebarangkaliannya, tetapi odds tetap memberi penganjur kelebihan dalam hampir setiap taruhan.",
  },
  values: {
    show: "Tunjukkan nilai",
    record: "Rekod yang ditandatangani",
    hash: "Cincangan rekod (SHA-256)",
    operatorKey: "Kunci awam penganjur",
    witnessKey: "Kunci awam saksi",
    operatorSignature: "Tandatangan penganjur",
    witnessSignature: "Tandatangan saksi",
    published: "Nilai yang diterbitkan sebelum jualan pertama",
    secret: "Rahsia pusingan ini",
    reached: "Nilai yang diperoleh daripada rahsia",
    stream: "Bait pertama pengiraan",
    digits: "Digit yang dikira di sini",
    receipt: "Resit",
  },
  copy: "Salin: {name}",
  download: "Muat turun bukti",
};
