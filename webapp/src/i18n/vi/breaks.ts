export default {
  title: "Giới hạn và tạm nghỉ",
  timeOut: "Tạm nghỉ đến {time}. Không cược, không nạp tiền; vẫn rút được tiền.",
  excluded: "Tự loại trừ đến {time}. Không cược, không nạp tiền; vẫn rút được tiền.",
  forGood: "Tự loại trừ vĩnh viễn. Không cược, không nạp tiền; vẫn rút được tiền.",
  closed: "Tài khoản này không còn được đặt cược và nạp tiền; vẫn rút được tiền.",
  withdraw: "Rút tiền",
};
