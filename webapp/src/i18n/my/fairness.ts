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
      text: "Saksi telah melepaskan nilai rahsianya, tetapi penganjur tidak dapat menyelesaikan cabutan. Ini melanggar peraturannya sendiri.",
    },
  },
  lateAnswer: {
    none: "Sejak itu saksi masih belum menyatakannya.",
    released:
      "Saksi kemudian menyatakan bahawa nilai rahsianya telah dilepaskan. Pusingan ini sepatutnya dicabut: pembatalan ini melanggar peraturan penganjur. Taruhan kekal dipulangkan.",
    not_released:
      "Saksi kemudian menandatangani bahawa nilai rahsianya tidak pernah dan tidak akan dilepaskan.",
    unknown:
      "Saksi kemudian menjawab bahawa perkara ini tidak dapat dinyatakan: tiada rekod yang boleh digunakan bagi pusingan ini.",
  },
  waiting: {
    title: "Menunggu.",
    awaiting_witness:
      "Pusingan ini sepatutnya dicabut pada {time}. Pusingan ini menunggu saksinya, yang belum memberikan nilai rahsia yang diperlukan oleh cabutan. Penganjur memintanya berulang kali.",
    awaiting_beacon:
      "Pusingan ini sepatutnya dicabut pada {time}. Pusingan ini menunggu suar awam, yang nilainya belum dapat diperoleh.",
    awaiting_void:
      "Pusingan ini sepatutnya dicabut pada {time} tetapi tidak dapat dicabut buat masa ini: satu daripada dua nilai rahsia tiada. Dua pengurus boleh membatalkannya dan memulangkan semua taruhan.",
    awaiting_earlier_round:
      "Pusingan ini sepatutnya dicabut pada {time}. Pusingan ini menunggu pusingan terdahulu, yang mesti dicabut atau dimansuhkan dahulu.",
  },
  follows: {
    title: "Segmen baharu.",
    day: "Hari baharu.",
    said: "Menurut penganjur:",
    witness_behind:
      "Rantaian rahsia baharu dimulakan kerana saksi dipulihkan daripada salinan lama.",
    witness_lost:
      "Rantaian rahsia baharu dimulakan kerana saksi tidak lagi mempunyai rekod yang terdahulu.",
    house_behind:
      "Rantaian rahsia baharu dimulakan kerana saksi telah menjawab bagi pusingan yang tiada dalam log penganjur: penganjur dipulihkan daripada salinan lama.",
    house_restored:
      "Rantaian rahsia baharu dimulakan kerana penganjur dipulihkan daripada sandaran.",
    chain_lost:
      "Rantaian rahsia baharu dimulakan kerana penganjur kehilangan rantaiannya yang terdahulu.",
    contradiction:
      "Rantaian rahsia baharu dimulakan kerana saksi telah melepaskan rahsianya untuk senarai taruhan lain bagi pusingan yang sama.",
    witness_contradicts:
      "Rantaian rahsia baharu dimulakan kerana jawapan saksi tidak sepadan dengan apa yang telah diikrarkannya.",
    declined:
      "Rantaian rahsia baharu dimulakan kerana saksi enggan meneruskan rantaian yang terdahulu ({reason}).",
    witness_changed: "Mulai di sini saksi lain mengambil bahagian dalam cabutan.",
    operator_changed: "Mulai di sini penganjur menandatangani dengan kunci lain.",
    schedule_changed: "Mulai di sini jadual pusingan yang lain digunakan.",
    odds_changed: "Mulai di sini odds yang lain digunakan.",
    beacon_changed: "Mulai di sini penggunaan suar awam berubah.",
    late_start: "Penganjur bermula lewat pada hari ini, selepas pusingan pertamanya.",
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
    beacon: {
      title: "Suar awam",
      text: "Pusingan {round} suar rawak awam {network} ialah yang pertama diterbitkan sekurang-kurangnya enam saat selepas penutupan. Rangkaiannya menandatanganinya, dan tandatangan itu disemak pada telefon ini.",
    },
    digits: {
      title: "Digit",
      text: "Digit diperoleh daripada kedua-dua rahsia dan senarai bermeterai. Apabila dikira semula pada telefon ini (HMAC-SHA256), digit itu sama dengan yang diterbitkan.",
      withBeacon:
        "Digit diperoleh daripada kedua-dua rahsia, senarai bermeterai dan suar. Apabila dikira semula pada telefon ini (HMAC-SHA256), digit itu sama dengan yang diterbitkan.",
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
    inLog: "Catatan {position, number} dalam log penganjur.",
    notInLog: "Log penganjur tidak mempunyai taruhan ini seperti dalam resit anda.",
    notLooked:
      "Tidak dicari dalam log: halaman ini hanya mencari {most, number} taruhan pertama bagi setiap pusingan.",
    notLogged: "Catatannya dalam log dimeterai kira-kira sesaat selepas taruhan.",
    save: "Simpan bukti taruhan ini",
  },
  log: {
    title: "Log penganjur",
    checking: "Sedang menyemak log…",
    unanswered: "Log tidak dapat dicapai buat masa ini. Telefon ini akan mencuba lagi.",
    first:
      "Penganjur menandatangani log dengan {size, number} catatan. Telefon ini kini menyimpan titik semak itu dan akan membandingkan yang seterusnya dengannya.",
    continues:
      "Penganjur menandatangani log dengan {size, number} catatan. Log ini menyambung log yang dilihat oleh telefon ini pada {time}: tiada apa-apa yang diubah atau dibuang sejak itu.",
    cosigned:
      "Saksi juga telah menandatanganinya, sebagai sambungan log yang dilihatnya sebelum ini.",
    unsigned: "Log yang ditunjukkan oleh penganjur tidak ditandatangani oleh penganjur.",
    fork: "Log ini tidak menyambung log yang dilihat oleh telefon ini pada {time}.",
    otherKey:
      "Ini bukan log yang dilihat oleh telefon ini pada {time}: log ini ditandatangani dengan kunci lain.",
    alarm:
      "Amaran: penganjur telah mengubah sejarahnya, atau menunjukkan sejarah yang berbeza kepada orang yang berbeza. Dua titik semak di bawah membuktikannya. Simpan dan serahkan kepada juruaudit.",
    alarmSizes:
      "Amaran: penganjur menunjukkan dua log dan tidak dapat menunjukkan bahawa satu menyambung yang lain. Penganjur menandatangani kedua-dua titik semak di bawah. Simpan dan serahkan kepada juruaudit, yang boleh membandingkannya dengan seluruh log.",
    alarmKey:
      "Amaran: penganjur menandatangani lognya dengan kunci yang lain daripada dahulu, jadi telefon ini tidak dapat membandingkan kedua-dua log. Titik semak pertama di bawah ditandatangani dengan kunci terdahulu, yang kedua dengan kunci sekarang. Simpan dan serahkan kepada juruaudit, yang boleh bertanya mengapa kunci itu ditukar dan membandingkan kedua-duanya dengan seluruh log.",
    kept: "Titik semak yang disimpan oleh telefon ini",
    shown: "Titik semak yang ditunjukkan oleh penganjur sekarang",
    other: "Titik semak telefon lain",
    save: "Simpan kedua-dua titik semak",
    forget: "Padam simpanan telefon ini",
    lines: {
      same: "Talian {line} menunjukkan log yang sama.",
      split: "Talian {line} menunjukkan log yang berbeza daripada talian yang anda gunakan.",
      unsigned:
        "Log penganjur yang ditunjukkan oleh talian {line} tidak ditandatangani oleh penganjur.",
      unanswered:
        "Talian {line} tidak dapat dicapai buat masa ini, jadi lognya tidak dibandingkan. Ini tidak bermakna ada masalah pada log.",
      shown: "Titik semak yang ditunjukkan oleh talian {line}",
    },
    compare: {
      title: "Bandingkan dengan telefon lain",
      hint: "Titik semak telefon lain, daripada halaman bukti cabutannya",
      action: "Bandingkan",
      same: "Kedua-dua telefon melihat log yang sama.",
      invalid: "Ini bukan titik semak yang ditandatangani oleh penganjur.",
      unanswered: "Log tidak dapat dicapai buat masa ini.",
    },
  },
  limits: {
    title: "Apa yang tidak dibuktikan",
    self: "Bahawa tiada sesiapa tahu keputusan lebih awal: sesiapa yang mengawal mesin dengan kedua-dua rahsia boleh tahu. Hanya saksi yang dijalankan oleh pihak lain menolak kemungkinan itu.",
    beacon:
      "Bahawa senarai pertaruhan dimeteraikan sebelum suar menerbitkan nilainya. Buka satu pusingan antara penutupan dan cabutannya, simpan bukti, dan bandingkan kemudian.",
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
    network: "Rangkaian suar",
    beaconRound: "Pusingan suar",
    randomness: "Nilai rawak suar (SHA-256 tandatangannya)",
    beaconSignature: "Tandatangan suar (BLS)",
    previousSignature: "Tandatangan pusingan suar sebelumnya",
    stream: "Bait pertama pengiraan",
    digits: "Digit yang dikira di sini",
    receipt: "Resit",
    checkpoint: "Titik semak log",
    entry: "Catatan dalam log",
  },
  copy: "Salin: {name}",
  download: "Muat turun bukti",
};
