export default {
  title: "Bukti cabutan",
  round: "{game}, pusingan {issue}",
  drawnAt: "Dicabut {time}",
  drawDue: "Akan dicabut {time}",
  checking: "Sedang disemak pada telefon ini…",
  verdict: {
    right: "Disemak pada telefon ini: semuanya sepadan.",
    wrong: "Ada yang tidak sepadan. Simpan buktinya: sesiapa pun boleh menyemaknya.",
    later: "Belum selesai. Apa yang diterbitkan setakat ini sepadan.",
    voided: "Disemak pada telefon ini: pusingan ini tidak pernah dicabut, dan yang lain sepadan.",
  },
  voided: "Pusingan ini dimansuhkan dan semua taruhan dipulangkan. Sebab yang diberikan: {reason}",
  selfWitnessed: "Saksi sendiri.",
  selfWitnessedText: "Penganjur menjalankan saksi itu sendiri, pada mesin yang sama.",
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
      text: "Penganjur dan saksi masing-masing menerbitkan hujung rantaian rahsia hari itu, dan kedua-duanya menandatanganinya.",
    },
    frozen: {
      title: "Senarai taruhan bermeterai",
      text: "{count, plural, =0 {Tiada taruhan yang sah. Cincangan yang menyatakan demikian ditandatangani oleh penganjur.} other {Kesemua # taruhan yang sah dicincang menjadi satu nilai, yang ditandatangani oleh penganjur.}}",
    },
    operator: {
      title: "Rahsia penganjur",
      text: "Dicincang {times, plural, other {# kali}}, rahsia pusingan ini menghasilkan nilai yang diterbitkan sebelum jualan pertama. Rahsia lain tidak akan.",
    },
    witness: {
      title: "Rahsia saksi",
      text: "Rahsianya menuju ke nilai yang diterbitkannya sendiri, dan ia menandatangani bahawa rahsia itu diberikan untuk senarai bermeterai ini sahaja.",
      cancelled:
        "Rahsianya menuju ke nilai yang diterbitkannya sendiri, dan ia menandatangani bahawa rahsia itu tidak pernah diberikan untuk cabutan.",
    },
    digits: {
      title: "Digit",
      text: "Digit diperoleh daripada kedua-dua rahsia dan senarai bermeterai: dikira semula pada telefon ini (HMAC-SHA256), digit itu sama dengan yang diterbitkan.",
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
    returned: "Taruhan telah dipulangkan.",
    returning: "Taruhan sedang dipulangkan.",
  },
  limits: {
    title: "Apa yang tidak dibuktikan",
    self: "Bahawa tiada sesiapa tahu cabutan terlebih dahulu: sesiapa yang mengawal mesin dengan kedua-dua rahsia boleh tahu. Hanya saksi yang dijalankan oleh pihak lain menolak kemungkinan itu.",
    before:
      "Bahawa nilai yang diterbitkan sudah ada sebelum jualan pertama. Buka satu pusingan semasa jualan, simpan buktinya, dan bandingkan kemudian.",
    others:
      "Siapa pemilik taruhan lain. Senarai bermeterai menunjukkan bilangannya dan jumlah pertaruhan bagi setiap jenis.",
    edge: "Bahawa bermain itu menguntungkan. Cabutan adalah sama rata, tetapi odds masih memberi kelebihan kepada penganjur bagi hampir setiap taruhan.",
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
    reached: "Nilai yang dituju oleh rahsia",
    stream: "Bait pertama pengiraan",
    digits: "Digit yang dikira di sini",
    receipt: "Resit",
  },
  copy: "Salin: {name}",
  download: "Muat turun bukti",
};
