export default {
  title: "추첨 증명",
  round: "{game}, 제{issue}회",
  drawnAt: "추첨 시각 {time}",
  drawDue: "추첨 예정 {time}",
  checking: "이 기기에서 검증하는 중…",
  verdict: {
    right: "이 기기에서 검증했습니다. 모두 일치합니다.",
    wrong: "일치하지 않는 부분이 있습니다. 증거를 보관하세요. 누구나 검증할 수 있습니다.",
    later: "아직 끝나지 않았습니다. 지금까지 공개된 내용은 일치합니다.",
    voided: "이 기기에서 검증했습니다. 이 회차는 추첨되지 않았고, 나머지는 일치합니다.",
  },
  voided: "이 회차는 무효 처리되어 모든 베팅 금액이 반환되었습니다. 제시된 사유: {reason}",
  voidStatus: {
    unattested: {
      title: "증명되지 않음.",
      text: "증인이 비밀 값을 공개했는지 밝히지 않아 관리자 두 명의 동의로 무효 처리되었습니다.",
    },
    breach: {
      title: "규칙 위반.",
      text: "증인이 비밀 값을 공개했지만 하우스가 추첨을 완료하지 못했습니다. 이는 하우스 규칙 위반입니다.",
    },
  },
  selfWitnessed: "운영사 자체 입회.",
  selfWitnessedText: "운영사가 같은 기기에서 입회인 역할까지 직접 맡습니다.",
  marks: {
    right: "일치:",
    wrong: "불일치:",
    later: "아직 없음:",
    wrongText: "공개된 내용과 일치하지 않습니다.",
  },
  atClose: "마감 시 공개됩니다.",
  atDraw: "추첨 시 공개됩니다.",
  steps: {
    day: {
      title: "판매 시작 전에 고정한 값",
      text: "운영사와 입회인은 그날의 비밀 값 사슬의 끝값을 각각 공개했고, 양측이 서명했습니다.",
    },
    frozen: {
      title: "봉인된 베팅 목록",
      text: "{count, plural, =0 {유효한 베팅이 없었습니다. 이를 나타내는 해시에 운영사가 서명했습니다.} other {유효한 베팅 #건이 모두 하나의 해시 값으로 묶였고, 운영사가 서명했습니다.}}",
    },
    operator: {
      title: "운영사의 비밀 값",
      text: "이 회차의 비밀 값을 {times, plural, other {#번}} 해시하면 판매 시작 전에 운영사가 공개한 값이 나옵니다. 다른 비밀 값으로는 나오지 않습니다.",
    },
    witness: {
      title: "입회인의 비밀 값",
      text: "입회인의 비밀 값은 입회인이 공개한 값으로 이어집니다. 입회인은 이 봉인된 목록에만 그 값을 내주었다고 서명했습니다.",
      cancelled:
        "입회인의 비밀 값은 입회인이 공개한 값으로 이어집니다. 입회인은 추첨을 위해 그 값을 내준 적이 없다고 서명했습니다.",
    },
    digits: {
      title: "숫자",
      text: "숫자는 두 비밀 값과 봉인된 목록에서 나옵니다. 이 기기에서 다시 계산한 결과(HMAC-SHA256)가 공개된 숫자와 같습니다.",
    },
    sum: {
      title: "합계",
      text: "{a, number} + {b, number} + {c, number} = {sum, number}",
    },
  },
  bets: {
    title: "이 회차의 내 베팅",
    stake: "{kind}, {amount}u",
    inList: "봉인된 목록의 {count, number}건 중 {place, number}번째입니다.",
    notInList: "영수증이 있는데도 봉인된 목록에 없습니다.",
    notMine: "이 영수증은 본인 것이 아니거나 이 회차의 것이 아닙니다.",
    unproved: "운영사가 이 베팅의 증명 경로를 제공하지 않아 목록 내 위치를 검증하지 못했습니다.",
    notSealed: "목록은 마감 시 봉인됩니다.",
    paid: "배당률대로 {amount}u가 지급되었습니다.",
    paidWrong: "{amount}u가 지급되었으나 배당률과 맞지 않습니다.",
    returned: "베팅 금액이 반환되었습니다.",
    returning: "베팅 금액을 반환하는 중입니다.",
  },
  limits: {
    title: "이것으로 증명되지 않는 것",
    self: "아무도 결과를 미리 몰랐다는 점. 두 비밀 값이 있는 기기를 다루는 사람은 알 수 있습니다. 다른 사람이 운영하는 입회인만이 이를 배제합니다.",
    before:
      "공개된 값이 판매 시작 전부터 있었다는 점. 판매 중인 회차를 열어 증거를 보관하고 나중에 비교하세요.",
    others:
      "다른 베팅이 누구의 것인지. 봉인된 목록은 건수와 종류별 베팅 금액의 합계만 보여 줍니다.",
    edge: "게임을 하면 이익이 된다는 점. 추첨은 균등하지만, 거의 모든 베팅의 배당률은 운영사에 유리합니다.",
  },
  values: {
    show: "값 보기",
    record: "서명된 기록",
    hash: "기록의 해시(SHA-256)",
    operatorKey: "운영사의 공개 키",
    witnessKey: "입회인의 공개 키",
    operatorSignature: "운영사의 서명",
    witnessSignature: "입회인의 서명",
    published: "판매 시작 전에 공개된 값",
    secret: "이 회차의 비밀 값",
    reached: "비밀 값에서 나온 값",
    stream: "계산 결과의 첫 바이트",
    digits: "이 기기에서 계산한 숫자",
    receipt: "영수증",
  },
  copy: "복사: {name}",
  download: "증거 다운로드",
};
