export default {
  base: {
    title: "Maklumat peribadi",
    changePicture: "Tukar gambar",
    account: "Nama pengguna",
    nickname: "Nama panggilan",
    idcard: "Nombor kad pengenalan",
    idcardPlaceholder: "Seperti pada kad pengenalan",
    idcardHint:
      "Diperlukan sebelum pengeluaran pertama. Disimpan secara tersulit dan tidak boleh diubah; selepas itu hanya beberapa aksara terakhir ditunjukkan.",
    needIdcard: "Sila masukkan nombor kad pengenalan",
    save: "Simpan",
    guest:
      "Tetamu tiada maklumat peribadi. Daftar sebagai ahli penuh untuk bermain dan membuat pengeluaran.",
    register: "Daftar",
  },
  complete: {
    title: "Lengkapkan maklumat peribadi",
    text: "Diperlukan sebelum pengeluaran pertama.",
  },
  picture: {
    title: "Tukar gambar",
    album: "Dari album",
    camera: "Ambil foto",
    system: "Gambar lalai sistem",
    remove: "Buang foto",
    note: "Foto kekal pada peranti ini dan tidak ditunjukkan kepada orang lain.",
    kept: "Foto anda disimpan pada peranti ini",
    unreadable: "Fail ini bukan gambar yang boleh ditunjukkan.",
  },
  avatars: {
    title: "Gambar lalai",
    confirm: "Sahkan",
    set: "Berjaya ditetapkan",
    fox: "Rubah",
    owl: "Burung hantu",
    panda: "Panda",
    hare: "Arnab",
    lion: "Singa",
    koala: "Koala",
    deer: "Rusa",
    penguin: "Penguin",
  },
  share: {
    title: "Kongsi dengan rakan",
    text: "Sesiapa yang mendaftar melalui pautan ini dicatat sebagai jemputan anda.",
    code: "Kod QR pautan jemputan anda",
    incode: "Kod jemputan",
    copy: "Salin pautan",
    copied: "Pautan disalin ke papan keratan",
    send: "Kongsi",
    adults: "Hanya untuk orang yang cukup umur dan mahu dijemput. Ini permainan nasib.",
    guest: "Jemputan hanya untuk ahli. Tetamu perlu mendaftar dahulu.",
    register: "Daftar",
  },
  actions: {
    title: "Adil dan terkawal",
    drawAlt:
      "Dua surat bermeterai dan sebuah jam, di bawahnya empat bola: 5, 8, 2 dan jumlahnya 15",
    drawTitle: "Dua pihak, satu cabutan",
    drawText:
      "Sebelum jualan bermula, penganjur dan saksi masing-masing memeterai satu nilai. Hanya kedua-duanya bersama-sama menghasilkan tiga digit. Bukti setiap cabutan menyatakan siapa saksinya.",
    proofAlt:
      "Sekeping resit dan sebuah buku terbuka dengan corak yang sama, dan tanda betul di tengah",
    proofTitle: "Resit bagi setiap taruhan",
    proofText:
      "Setiap taruhan mempunyai resit yang ditandatangani. Dengannya anda boleh menyemak bahawa taruhan tidak diubah dalam buku, dan cabutan dikira seperti yang dijanjikan.",
    breaksAlt:
      "Telefon yang berehat, tolok dengan penahan dan secawan teh di tepi tingkap waktu malam",
    breaksTitle: "Had dan rehat",
    breaksText:
      "Tetapkan had tertinggi deposit dan kerugian, dan berehatlah bila-bila masa. Menurunkan had berkuat kuasa serta-merta; menaikkannya perlu menunggu.",
  },
  system: {
    vibration: "Getar apabila untung",
    vibrationNote: "Telefon bergetar apabila taruhan anda menang.",
    noVibration: "Telefon atau pelayar ini tidak boleh bergetar.",
    sound: "Bunyi apabila untung",
    soundNote: "Bunyi ringkas apabila taruhan anda menang.",
  },
  app: {
    clearCache: "Kosongkan cache",
    cacheCleared: "Cache dikosongkan. Anda kekal log masuk dan tetapan anda disimpan.",
    version: "Versi semasa",
  },
  copied: "Disalin",
  copyFailed: "Tidak dapat disalin. Sila salin secara manual.",
};
