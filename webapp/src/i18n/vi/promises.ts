/** Words that would promise a profit: no text may have them. */
export default /(đảm|bảo) (bảo|đảm) (thắng|có lãi|lãi)|chắc chắn thắng|không rủi ro/i;
