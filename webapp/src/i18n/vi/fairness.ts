export default {
  title: "Bằng chứng quay số",
  round: "{game}, kỳ {issue}",
  drawnAt: "Đã quay lúc {time}",
  drawDue: "Dự kiến quay lúc {time}",
  checking: "Đang kiểm tra trên máy này…",
  verdict: {
    right: "Đã kiểm tra trên máy này: mọi thứ đều khớp.",
    wrong: "Có điều không khớp. Hãy giữ lại bằng chứng: ai cũng có thể kiểm tra.",
    later: "Kỳ này chưa xong. Những gì đã công bố đến nay đều khớp.",
    voided: "Đã kiểm tra trên máy này: kỳ này chưa từng quay, phần còn lại đều khớp.",
  },
  voided: "Kỳ này đã bị vô hiệu và mọi tiền cược đã được hoàn lại. Lý do nêu ra: {reason}",
  voidStatus: {
    unattested: {
      title: "Không được xác nhận.",
      text: "Bên làm chứng không cho biết đã công bố giá trị bí mật hay chưa, nên việc hủy phải được hai quản lý đồng ý.",
    },
    breach: {
      title: "Vi phạm.",
      text: "Bên làm chứng đã công bố giá trị bí mật nhưng nhà cái không thể hoàn tất việc quay số. Đây là vi phạm quy tắc của nhà cái.",
    },
  },
  lateAnswer: {
    none: "Từ đó đến nay họ vẫn chưa cho biết.",
    released:
      "Sau đó bên làm chứng cho biết đã công bố giá trị bí mật. Kỳ này lẽ ra phải được quay: việc hủy này vi phạm quy tắc của nhà cái. Tiền cược vẫn được hoàn lại.",
    not_released:
      "Sau đó bên làm chứng đã ký xác nhận rằng họ chưa từng và sẽ không bao giờ công bố giá trị bí mật.",
    unknown:
      "Sau đó bên làm chứng trả lời rằng không thể cho biết: họ không có bản ghi dùng được về kỳ này.",
  },
  waiting: {
    title: "Đang chờ.",
    awaiting_witness:
      "Kỳ này lẽ ra được quay lúc {time}. Kỳ này đang chờ bên làm chứng, bên này chưa trao giá trị bí mật cần cho việc quay số. Nhà cái yêu cầu lại nhiều lần.",
    awaiting_beacon:
      "Kỳ này lẽ ra được quay lúc {time}. Kỳ này đang chờ nguồn ngẫu nhiên công khai, hiện chưa lấy được giá trị của nó.",
    awaiting_void:
      "Kỳ này lẽ ra được quay lúc {time} nhưng hiện không thể quay số: thiếu một trong hai giá trị bí mật. Hai quản lý có thể hủy kỳ này và hoàn lại mọi tiền cược.",
    awaiting_earlier_round:
      "Kỳ này lẽ ra được quay lúc {time}. Kỳ này đang chờ một kỳ trước, kỳ đó phải được quay hoặc hủy trước.",
  },
  follows: {
    title: "Phân đoạn mới.",
    day: "Ngày mới.",
    said: "Theo lời nhà cái:",
    witness_behind:
      "Chuỗi bí mật mới được bắt đầu vì bên làm chứng được khôi phục từ bản sao cũ hơn.",
    witness_lost:
      "Chuỗi bí mật mới được bắt đầu vì bên làm chứng không còn bản ghi về chuỗi trước.",
    house_behind:
      "Chuỗi bí mật mới được bắt đầu vì bên làm chứng đã trả lời cho những kỳ không có trong nhật ký của nhà cái: nhà cái được khôi phục từ bản sao cũ hơn.",
    house_restored: "Chuỗi bí mật mới được bắt đầu vì nhà cái được khôi phục từ bản sao lưu.",
    chain_lost: "Chuỗi bí mật mới được bắt đầu vì nhà cái mất chuỗi trước của mình.",
    contradiction:
      "Chuỗi bí mật mới được bắt đầu vì bên làm chứng đã trao bí mật cho một danh sách cược khác của cùng kỳ.",
    witness_contradicts:
      "Chuỗi bí mật mới được bắt đầu vì câu trả lời của bên làm chứng không khớp với điều bên đó đã cam kết.",
    declined:
      "Chuỗi bí mật mới được bắt đầu vì bên làm chứng từ chối tiếp tục chuỗi trước ({reason}).",
    witness_changed: "Từ đây, một bên làm chứng khác tham gia việc quay số.",
    operator_changed: "Từ đây, nhà cái ký bằng khóa khác.",
    schedule_changed: "Từ đây, lịch kỳ quay khác được áp dụng.",
    odds_changed: "Từ đây, tỷ lệ cược khác được áp dụng.",
    beacon_changed: "Từ đây, cách dùng nguồn ngẫu nhiên công khai thay đổi.",
    late_start: "Hôm đó nhà cái bắt đầu muộn, sau kỳ đầu tiên.",
  },
  selfWitnessed: "Nhà cái tự làm chứng.",
  selfWitnessedText: "Nhà cái tự vận hành bên làm chứng, trên cùng một máy.",
  marks: {
    right: "Đúng:",
    wrong: "Sai:",
    later: "Chưa có:",
    wrongText: "Mục này không khớp với những gì đã công bố.",
  },
  atClose: "Sẽ có khi ngừng nhận cược.",
  atDraw: "Sẽ có khi quay số.",
  steps: {
    day: {
      title: "Cam kết trước lượt cược đầu tiên",
      text: "Nhà cái và bên làm chứng đều đã công bố giá trị cuối trong chuỗi bí mật của ngày, và cả hai đã ký.",
    },
    frozen: {
      title: "Danh sách cược đã niêm phong",
      text: "{count, plural, =0 {Không có cược nào. Nhà cái đã ký một mã băm xác nhận điều đó.} other {Tất cả # cược còn hiệu lực được băm thành một giá trị, và nhà cái đã ký giá trị đó.}}",
    },
    operator: {
      title: "Bí mật của nhà cái",
      text: "Sau {times, plural, other {# lần}} băm, bí mật của kỳ này cho ra giá trị mà nhà cái đã công bố trước lượt cược đầu tiên. Không bí mật nào khác làm được điều đó.",
    },
    witness: {
      title: "Bí mật của bên làm chứng",
      text: "Bí mật này dẫn đến giá trị mà bên làm chứng đã công bố, và họ đã ký xác nhận chỉ trao bí mật cho danh sách niêm phong này.",
      cancelled:
        "Bí mật này dẫn đến giá trị mà bên làm chứng đã công bố, và họ đã ký xác nhận chưa từng trao bí mật để quay số.",
    },
    beacon: {
      title: "Nguồn ngẫu nhiên công khai",
      text: "Vòng {round} của nguồn ngẫu nhiên công khai {network} là vòng đầu tiên được công bố ít nhất sáu giây sau khi đóng cược. Mạng lưới của nguồn đã ký vòng này; chữ ký đã được kiểm tra trên máy này.",
    },
    digits: {
      title: "Các chữ số",
      text: "Các chữ số được tính từ hai bí mật và danh sách niêm phong. Tính lại trên máy này (HMAC-SHA256), kết quả trùng với các chữ số đã công bố.",
      withBeacon:
        "Các chữ số được tính từ hai bí mật, danh sách niêm phong và nguồn ngẫu nhiên công khai. Tính lại trên máy này (HMAC-SHA256), kết quả trùng với các chữ số đã công bố.",
    },
    sum: { title: "Tổng", text: "{a, number} + {b, number} + {c, number} = {sum, number}" },
  },
  bets: {
    title: "Cược của bạn trong kỳ này",
    stake: "{kind}, {amount}u",
    inList: "Thứ {place, number} trong {count, number} cược của danh sách niêm phong.",
    notInList: "Không có trong danh sách niêm phong, dù bạn có biên nhận.",
    notMine: "Biên nhận không phải của bạn, hoặc không thuộc kỳ này.",
    unproved:
      "Nhà cái không cung cấp đường dẫn xác minh cho cược này, nên chưa kiểm tra được vị trí trong danh sách.",
    notSealed: "Danh sách được niêm phong khi ngừng nhận cược.",
    paid: "Đã trả {amount}u, đúng theo tỷ lệ cược.",
    paidWrong: "Đã trả {amount}u, không đúng theo tỷ lệ cược.",
    returned: "Tiền cược đã được hoàn lại.",
    returning: "Tiền cược đang được hoàn lại.",
    inLog: "Mục {position, number} trong nhật ký của nhà cái.",
    notInLog: "Nhật ký của nhà cái không có cược này đúng như biên nhận của bạn.",
    notLooked: "Chưa tra trong nhật ký: trang này chỉ tra {most, number} cược đầu tiên của mỗi kỳ.",
    notLogged: "Mục trong nhật ký được niêm phong khoảng một giây sau khi đặt cược.",
    save: "Lưu bằng chứng của cược này",
  },
  log: {
    title: "Nhật ký của nhà cái",
    checking: "Đang kiểm tra nhật ký…",
    unanswered: "Hiện không thể đọc nhật ký. Máy này sẽ thử lại.",
    first:
      "Nhà cái đã ký nhật ký gồm {size, number} mục. Máy này đã giữ điểm kiểm tra đó và sẽ so sánh các điểm sau với nó.",
    continues:
      "Nhà cái đã ký nhật ký gồm {size, number} mục. Nhật ký này tiếp nối nhật ký mà máy này thấy lúc {time}: từ đó không có gì bị sửa hay xóa.",
    cosigned: "Bên làm chứng cũng đã ký, xác nhận nhật ký tiếp nối những gì họ đã thấy trước đó.",
    unsigned: "Thứ mà nhà cái đưa ra làm nhật ký không có chữ ký của nhà cái.",
    fork: "Nhật ký không tiếp nối nhật ký mà máy này thấy lúc {time}.",
    otherKey: "Đây không phải nhật ký mà máy này thấy lúc {time}: nó được ký bằng khóa khác.",
    alarm:
      "Báo động: nhà cái đã sửa lịch sử, hoặc cho những người khác nhau xem lịch sử khác nhau. Hai điểm kiểm tra dưới đây chứng minh điều đó. Hãy lưu lại và đưa cho kiểm toán viên.",
    alarmSizes:
      "Báo động: nhà cái đưa ra hai nhật ký và không chứng minh được nhật ký này tiếp nối nhật ký kia. Nhà cái đã ký cả hai điểm kiểm tra dưới đây. Hãy lưu lại và đưa cho kiểm toán viên để đối chiếu với toàn bộ nhật ký.",
    alarmKey:
      "Báo động: nhà cái ký nhật ký bằng khóa khác với trước đây, nên máy này không thể so sánh hai nhật ký. Điểm kiểm tra thứ nhất dưới đây được ký bằng khóa trước, điểm thứ hai bằng khóa hiện nay. Hãy lưu lại và đưa cho kiểm toán viên để hỏi vì sao khóa bị đổi và đối chiếu cả hai với toàn bộ nhật ký.",
    kept: "Điểm kiểm tra mà máy này đã giữ",
    shown: "Điểm kiểm tra mà nhà cái đưa ra lúc này",
    other: "Điểm kiểm tra của máy kia",
    save: "Lưu cả hai điểm kiểm tra",
    forget: "Xóa những gì máy này đã giữ",
    lines: {
      same: "Tuyến {line} cho thấy cùng một nhật ký.",
      split: "Tuyến {line} cho thấy nhật ký khác với tuyến bạn đang dùng.",
      unsigned: "Thứ mà tuyến {line} đưa ra làm nhật ký của nhà cái không có chữ ký của nhà cái.",
      unanswered:
        "Hiện không kết nối được với tuyến {line} nên chưa so sánh nhật ký của tuyến này. Điều đó không có nghĩa là nhật ký có vấn đề.",
      shown: "Điểm kiểm tra mà tuyến {line} đưa ra",
    },
    compare: {
      title: "So sánh với máy khác",
      hint: "Điểm kiểm tra của máy kia, từ trang bằng chứng quay số",
      action: "So sánh",
      same: "Hai máy thấy cùng một nhật ký.",
      invalid: "Đây không phải điểm kiểm tra mà nhà cái đã ký.",
      unanswered: "Hiện không thể đọc nhật ký.",
    },
  },
  limits: {
    title: "Những điều chưa được chứng minh",
    self: "Việc không ai biết trước kết quả: ai kiểm soát máy giữ cả hai bí mật đều có thể biết. Chỉ bên làm chứng do người khác vận hành mới loại trừ được điều đó.",
    beacon:
      "Việc danh sách cược đã được niêm phong trước khi nguồn ngẫu nhiên công bố giá trị. Hãy mở một kỳ sau khi đóng cược và trước khi quay số, lưu bằng chứng và so sánh sau.",
    before:
      "Việc các giá trị đã được công bố trước lượt cược đầu tiên. Hãy mở một kỳ khi đang nhận cược, lưu bằng chứng rồi so sánh sau.",
    others:
      "Các cược khác là của ai. Danh sách niêm phong chỉ cho biết số cược và tổng tiền cược của từng loại.",
    edge: "Việc chơi sẽ có lãi. Mọi kết quả đều có khả năng như nhau, nhưng tỷ lệ cược vẫn để nhà cái có lợi thế ở hầu hết các loại cược.",
  },
  values: {
    show: "Xem các giá trị",
    record: "Bản ghi đã ký",
    hash: "Mã băm của bản ghi (SHA-256)",
    operatorKey: "Khóa công khai của nhà cái",
    witnessKey: "Khóa công khai của bên làm chứng",
    operatorSignature: "Chữ ký của nhà cái",
    witnessSignature: "Chữ ký của bên làm chứng",
    published: "Giá trị công bố trước lượt cược đầu tiên",
    secret: "Bí mật của kỳ này",
    reached: "Giá trị mà bí mật dẫn đến",
    network: "Mạng lưới của nguồn ngẫu nhiên",
    beaconRound: "Vòng của nguồn ngẫu nhiên",
    randomness: "Giá trị ngẫu nhiên (SHA-256 của chữ ký)",
    beaconSignature: "Chữ ký của nguồn ngẫu nhiên (BLS)",
    previousSignature: "Chữ ký của vòng trước",
    stream: "Những byte đầu của phép tính",
    digits: "Các chữ số tính được tại đây",
    receipt: "Biên nhận",
    checkpoint: "Điểm kiểm tra của nhật ký",
    entry: "Mục trong nhật ký",
  },
  copy: "Sao chép: {name}",
  download: "Tải bằng chứng",
};
