export default {
  halls: "Các sảnh",
  halls1:
    "Mỗi trò chơi có chín sảnh: ba cấp VIP1 đến VIP3, mỗi cấp có sảnh thường, trung cấp và cao cấp. Các sảnh của cùng một trò chơi dùng chung kỳ và kết quả quay số.",
  halls2: "Mỗi sảnh có mức cược tối thiểu và số dư tối thiểu để vào. Danh sách sảnh ghi rõ cả hai.",
  close:
    "Đồng hồ cảnh báo trong mười giây cuối. Sau khi đóng không thể mua, theo hay hủy cược nữa; tiếp theo là quay số.",
  follow:
    "Theo cược là đặt một cược của chính bạn cho cùng lựa chọn, chỉ trong kỳ hiện tại. Hệ thống không tự đặt cược.",
  drawn: "{draws, number} trên 1.000 kết quả",
  over: "Mức hoàn trả trên 100% cũng chỉ là trung bình của mọi kết quả, không nói lên điều gì về các kỳ sắp tới.",
  numberBet: "Cược số",
  exactSum: "Tổng chính xác",
  flat: "“Phẳng” nghĩa là không long cũng không short: chỉ xét lẻ hay chẵn, không xét tổng lớn hay nhỏ.",
  name: "Tên gọi",
  draw1:
    "Ở cả ba vị trí, mọi chữ số có khả năng như nhau. Các kỳ trước không cho biết gì về kỳ sau.",
  draw2:
    "Kỳ đã đóng không thêm hay bớt cược, và chỉ khi đó bên làm chứng mới mở giá trị của mình. Vì vậy, khi nhà cái và bên làm chứng là hai bên khác nhau, không bên nào một mình biết được kết quả trong lúc còn nhận cược.",
  draw3: "Mỗi kỳ phải chờ đủ hai giá trị. Kỳ không thể quay số sẽ hoàn lại toàn bộ tiền cược.",
  draw4:
    "Bằng chứng của mỗi kỳ ghi rõ ai vận hành bên làm chứng. Nếu đó là chính nhà cái thì nhà cái giữ cả hai giá trị; chỉ bên làm chứng do người khác vận hành mới loại trừ việc nhà cái biết trước kết quả.",
  draw5:
    "Ở trang Biến động số dư, bạn có thể lưu một tệp cho thấy từng mục của bạn trong nhật ký mà nhà cái đã ký. Ai cũng có thể kiểm tra tệp đó.",
  turnover1:
    "Chỉ tính vòng cược hiệu lực: tiền cược của một kỳ trừ phần vẫn được trả lại ngay cả khi kết quả bất lợi. Cược trúng ở không quá ba phần tư số kết quả được tính đủ.",
  turnover2: "Cược đã hủy và cược vô hiệu không được tính.",
  levels: "Cấp bậc",
  levels1: "Cấp bậc tính theo toàn bộ vòng cược hiệu lực của thành viên. Mặc định:",
  level: "Cấp bậc",
  turnover: "Vòng cược",
  levels2: "Muốn lên cấp phải hoàn thành vòng cược của cấp đó.",
  levels3:
    "Suất thành viên giữ chỗ cho cấp kế tiếp, mặc định 30 ngày. Sau khi giữ chỗ, việc rút tiền bị đóng cho đến khi lên cấp thành công. Bạn có thể trả suất bất cứ lúc nào và rút tiền được mở lại ngay.",
  own: "Vòng cược và cấp bậc của tôi",
  bonus: "Thưởng qua đêm",
  bonus1: "Nếu có, mặc định là 1% vòng cược hiệu lực của ngày vừa kết thúc, tối đa 88u.",
  bonus2:
    "Ban đầu đây là tiền thưởng. Cần vòng cược 2 lần và rút được sau 24 giờ. Cược dùng tiền khả dụng trước rồi đến tiền thưởng; tiền trả về theo cùng tỷ lệ.",
  forbidden: "Không được phép",
  forbidden1: "Đặt đối ứng lẻ và chẵn với cùng con số.",
  forbidden2: "Cược ảo: các cược triệt tiêu nhau, một mình hoặc cùng người khác.",
  forbidden3: "Cố ý trục lợi tiền thưởng, ví dụ bằng nhiều tài khoản.",
  control: "Giữ quyền kiểm soát",
  control1:
    "Bạn có thể giới hạn tiền nạp và thua lỗ, bật nhắc thời gian, tạm nghỉ hoặc tự loại trừ. Trong mọi trường hợp vẫn rút được tiền.",
};
