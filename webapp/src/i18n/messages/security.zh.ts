export default {
  stepUp: {
    title: "确认密码",
    text: "此设备已有一段时间未操作。动用资金前，请确认是您本人。",
    password: "密码",
    need: "请输入密码",
    wrong: "密码错误。输错三次后，30 分钟内不再接受任何密码。",
    go: "确认",
  },
} as const;
