export default {
  title: "Việc kiểm tra cho thấy gì",
  lead: "Bạn không cần tin nhà cái: điện thoại của bạn tự tính lại mọi kỳ quay và tìm cược của bạn trong sổ ghi của nhà cái. Trang này nói rõ điều đó cho thấy gì và không cho thấy gì.",
  about: "Điều này cho thấy gì và không cho thấy gì",
  parties: {
    title: "Hai bên cùng quay số",
    text1:
      "Kết quả được tính từ hai bí mật, một của nhà cái và một của bên làm chứng. Trước lượt cược đầu tiên trong ngày, mỗi bên công bố một giá trị cố định bí mật của mình, nên sau đó không bên nào đổi được.",
    text2:
      "Khi đóng cược, nhà cái ký danh sách mọi cược. Chỉ khi đó bên làm chứng mới mở bí mật của mình. Các chữ số được tính từ hai bí mật và danh sách, nên trong lúc còn nhận cược, không bên nào một mình biết hay chọn được kết quả.",
  },
  self: {
    title: "Nhà cái tự làm chứng",
    text1:
      "Nếu bằng chứng ghi như vậy, nhà cái cũng vận hành bên làm chứng và giữ cả hai bí mật. Nhà cái có thể biết trước kết quả, hoặc thử nhiều danh sách cược cho đến khi kết quả có lợi cho mình, mà điện thoại của bạn không thấy được. Chỉ bên làm chứng do người khác vận hành, hoặc nguồn ngẫu nhiên công khai ghi trong bằng chứng, mới loại trừ được điều này.",
  },
  receipt: {
    title: "Biên nhận của bạn",
    text1:
      "Mỗi cược có một biên nhận đã ký, ghi kỳ, loại cược, tiền cược, tỷ lệ cược và thời gian.",
    text2:
      "Điện thoại kiểm tra rằng biên nhận có trong danh sách đã ký và bạn được trả đúng tỷ lệ cược. Nếu không, biên nhận là bằng chứng: nhà cái không thể chối chữ ký của mình.",
  },
  log: {
    title: "Nhật ký",
    text1:
      "Nhà cái ghi mọi việc vào một nhật ký: nạp tiền, cược, quay số, trả thưởng. Khoảng mỗi giây một lần, nhà cái ký độ dài của nhật ký cùng dấu vân tay của toàn bộ nội dung. Đó là điểm kiểm tra.",
    text2:
      "Điện thoại kiểm tra chữ ký đó, và kiểm tra rằng các cược của bạn trong kỳ có trong nhật ký.",
  },
  kept: {
    title: "Điểm kiểm tra mà điện thoại giữ lại",
    text1:
      "Điện thoại giữ các điểm kiểm tra đã thấy. Mỗi lần kiểm tra, nhật ký hôm nay phải tiếp nối chúng. Nếu nhà cái sửa hay xóa một mục cũ, nhật ký không còn tiếp nối và điện thoại báo động.",
    text2:
      "Chúng chỉ được giữ trong trình duyệt này. Sau khi bạn xóa dữ liệu trình duyệt, lần kiểm tra sau bắt đầu lại từ đầu.",
  },
  compare: {
    title: "So sánh với người khác",
    text1:
      "Nhà cái có thể cho hai người xem hai nhật ký khác nhau, mỗi nhật ký đều không có lỗi. Một điện thoại không thể nhận ra, nhưng hai điện thoại thì có thể.",
    text2:
      "Trong bằng chứng quay số, hãy mở “So sánh với máy khác” và dán điểm kiểm tra mà bạn bè gửi cho bạn. Nếu hai nhật ký khác nhau, hãy lưu cả hai điểm kiểm tra làm bằng chứng.",
    text3:
      "Nếu ứng dụng có hai tuyến, điện thoại cũng so sánh những gì hai tuyến đưa ra. Cả hai đều của nhà cái, nên so sánh với điện thoại của bạn bè ở nơi khác cho biết nhiều hơn.",
  },
  evidence: {
    title: "Tệp bằng chứng",
    text1:
      "Tệp lưu từ bằng chứng quay số hoặc từ tài khoản có đủ mọi thứ để người khác kiểm tra, không cần ứng dụng này và không cần nhà cái. Tệp cho thấy số người chơi của bạn, không có tên. Tệp lưu từ bằng chứng quay số cho thấy cược của bạn, tệp lưu từ tài khoản cho thấy mọi khoản tiền của bạn: nạp tiền, cược, trả thưởng và các khoản khác.",
    text2:
      "Hãy lưu khi kỳ đang nhận cược và lưu lại lần nữa sau khi quay: sau này bạn có thể chứng minh rằng không có gì bị đổi.",
  },
  limits: {
    title: "Những gì việc này không cho thấy",
    paid: "Việc nhà cái sẽ trả tiền. Nhật ký cho thấy nhà cái nợ bạn bao nhiêu, không cho thấy tiền đã đến nơi.",
    odds: "Việc tỷ lệ cược có lợi. Mọi kết quả đều có khả năng như nhau, nhưng tính trung bình hầu hết các cược trả lại ít hơn tiền cược. Trang thống kê cho biết ít hơn bao nhiêu.",
    together:
      "Việc nhà cái và bên làm chứng không thông đồng. Nếu họ chia sẻ bí mật thì cũng như nhà cái tự làm chứng.",
    refused: "Việc mọi cược đều được nhận. Cược bị nhà cái từ chối không có biên nhận.",
    others:
      "Những người chơi khác là ai. Danh sách cho biết có bao nhiêu cược, không cho biết của ai.",
    app: "Việc ứng dụng này trung thực: nhà cái cung cấp nó. Tệp bằng chứng có thể được kiểm tra bằng chương trình khác.",
  },
};
