export default {
  halls: "Dewan",
  halls1:
    "Setiap permainan mempunyai sembilan dewan: tiga tahap, VIP1 hingga VIP3, masing-masing dengan dewan biasa, tengah dan atasan. Semua dewan bagi satu permainan berkongsi pusingan dan cabutan.",
  halls2:
    "Setiap dewan mempunyai taruhan minimum dan baki minimum untuk masuk. Kedua-duanya tertera dalam senarai dewan.",
  close:
    "Kiraan detik memberi amaran dalam sepuluh saat terakhir. Selepas ditutup, tiada lagi pembelian, ikutan atau penarikan balik; cabutan menyusul.",
  follow:
    "Mengikut bererti membuat taruhan anda sendiri pada pilihan yang sama, dalam pusingan semasa sahaja. Tiada taruhan dibuat secara automatik.",
  drawn: "{draws, number} daripada 1,000 keputusan",
  over: "Pulangan melebihi 100% juga hanyalah purata semua keputusan, dan tidak menunjukkan apa-apa tentang pusingan akan datang.",
  numberBet: "Taruhan nombor",
  exactSum: "Jumlah tepat",
  flat: "Rata bererti bukan panjang dan bukan pendek: hanya ganjil atau genap dikira, tanpa mengira besar jumlahnya.",
  name: "Nama",
  draw1:
    "Setiap digit sama kebarangkaliannya di ketiga-tiga tempat. Cabutan lalu tidak menunjukkan apa-apa tentang yang seterusnya.",
  draw2:
    "Pusingan yang ditutup tidak menambah atau menghilangkan taruhan, dan hanya selepas itu saksi membuka nilainya. Maka, apabila penganjur dan saksi ialah dua pihak yang berlainan, tiada satu pihak pun yang dapat mengetahui keputusannya secara bersendirian semasa taruhan diterima.",
  draw3: "Pusingan menunggu kedua-dua nilai. Jika tidak dapat dicabut, semua taruhan dipulangkan.",
  draw4:
    "Bukti setiap cabutan menyatakan siapa yang menjalankan saksi. Jika penganjur sendiri, kedua-dua nilai ada padanya; hanya saksi yang dijalankan oleh pihak lain menolak kemungkinan penganjur tahu keputusan lebih awal.",
  draw5:
    "Di halaman Penyata dana, anda boleh menyimpan fail yang menunjukkan setiap catatan anda dalam log yang ditandatangani oleh penganjur. Sesiapa sahaja boleh menyemaknya.",
  turnover1:
    "Yang dikira ialah pusing ganti berkesan: taruhan satu pusingan tolak apa yang tetap dibayar balik walaupun keputusan kurang memihak. Taruhan yang menang pada tidak lebih daripada tiga perempat keputusan dikira penuh.",
  turnover2: "Taruhan yang ditarik balik atau dimansuhkan tidak dikira.",
  levels: "Tahap",
  levels1: "Tahap dicapai dengan pusing ganti berkesan sepanjang masa ahli di sini. Secara lalai:",
  level: "Tahap",
  turnover: "Pusing ganti",
  levels2: "Kenaikan tahap memerlukan pusing gantinya dilengkapkan.",
  levels3:
    "Kuota menempah tahap seterusnya, secara lalai selama 30 hari. Selepas ditempah, pengeluaran ditutup sehingga kenaikan tahap berjaya. Anda boleh melepaskannya pada bila-bila masa dan pengeluaran dibuka semula serta-merta.",
  own: "Pusing ganti dan tahap saya",
  bonus: "Bonus semalaman",
  bonus1:
    "Jika diberi, secara lalai 1% daripada pusing ganti berkesan hari yang berakhir, paling banyak 88u.",
  bonus2:
    "Pada mulanya ia wang bonus. Ia memerlukan pusing ganti 2× dan boleh dikeluarkan selepas 24 jam. Taruhan menggunakan baki tersedia dahulu, kemudian wang bonus; bayaran kembali mengikut nisbah yang sama.",
  forbidden: "Tidak dibenarkan",
  forbidden1: "Memadankan ganjil dan genap dengan nombor yang sama.",
  forbidden2:
    "Pusing ganti palsu: taruhan yang saling menghapuskan, sendirian atau bersama orang lain.",
  forbidden3: "Mengumpul bonus dengan niat buruk, misalnya dengan beberapa akaun.",
  control: "Kekal terkawal",
  control1:
    "Anda boleh mengehadkan deposit dan kerugian, diingatkan tentang masa, berehat atau mengecualikan diri. Pengeluaran kekal dibuka dalam semua keadaan.",
};
