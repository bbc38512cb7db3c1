// SPDX-License-Identifier: Apache-2.0
// All texts of the page in Chinese, by the keys of en.ts.
import type { en } from './en';

export const zh: Record<keyof typeof en, string> = {
  // --- common
  'app.name': 'Weft',
  'common.retry': '重试',
  'common.cancel': '取消',
  'common.close': '关闭',
  'common.save': '保存',
  'common.add': '添加',
  'common.remove': '移除',
  'common.change': '更改',
  'common.back': '返回',
  'common.more': '更多',
  'common.copy': '复制',
  'common.copied': '已复制',
  'common.details': '详情',
  'common.filter': '筛选',
  'common.search': '搜索',
  'common.all': '全部',
  'common.none': '无',
  'common.yes': '是',
  'common.no': '否',
  'common.loading': '正在加载…',
  'common.reason': '原因',
  'common.name': '名称',
  'common.options': '选项',
  'common.columns': '列',
  'common.selected': '已选 {n} 项',
  'common.atLeast': '至少 {n}',
  'common.rows': '{n} 行',
  'common.noMore': '已全部显示。',
  'common.now': '现在',
  'common.unknown': '未知',
  'common.notAllowed': '不允许：{reason}',
  'common.undo': '撤销',
  'common.typeNumber': '输入 {n} 以确认',
  'error.tried': '无法读取。',
  'error.command': '操作未执行。',
  'error.unreachable': '服务器没有响应。',
  'error.request': '请求',
  'error.code': '代码',

  // --- frame
  'frame.overview': '总览',
  'frame.work': '工作',
  'frame.cases': '案例',
  'frame.processes': '流程',
  'frame.incidents': '事件',
  'frame.schedules': '计划',
  'frame.services': '服务',
  'frame.people': '人员',
  'frame.live': '实时',
  'frame.server': '服务器',
  'frame.navigation': '栏目',
  'frame.skip': '跳到内容',
  'frame.open': '显示栏目名称',
  'frame.search': '查找案例、工作项、流程、人员',
  'frame.searchNone': '没有找到。',
  'frame.live.on': '实时：变化立即显示',
  'frame.live.lost': '正在重新连接，{n} 秒',
  'frame.live.off': '非实时',
  'frame.unreachable': '服务器没有响应。页面会自动重试。',
  'frame.account': '账户',
  'frame.signOut': '退出',
  'frame.theme': '主题',
  'frame.theme.system': '跟随系统',
  'frame.theme.light': '浅色',
  'frame.theme.dark': '深色',
  'frame.density': '密度',
  'frame.density.normal': '标准',
  'frame.density.compact': '紧凑',
  'frame.language': '语言',
  'frame.password': '更改密码',
  'frame.notFound': '此地址没有页面。',
  'frame.forbidden': '您的账户无权查看。',

  // --- sign-in
  'signIn.title': '登录',
  'signIn.name': '名称',
  'signIn.password': '密码',
  'signIn.withToken': '使用令牌登录',
  'signIn.withPassword': '使用密码登录',
  'signIn.token': '令牌',
  'signIn.submit': '登录',
  'signIn.throttled': '密码错误次数过多。请在 {n} 秒后重试。',
  'signIn.wrong': '名称或密码错误。',
  'signIn.wrongToken': '令牌无效。',
  'signIn.ended': '会话已结束。请重新登录，页面会保持原处。',
  'signIn.ticket': '此链接已使用或已过期。请使用名称和密码登录。',

  // --- states
  'state.running': '运行中',
  'state.suspended': '已暂停',
  'state.completed': '已完成',
  'state.deadlocked': '死锁',
  'state.cancelled': '已取消',
  'state.scheduled': '已排定',
  'state.enabled': '等待中',
  'state.fired': '已触发',
  'state.executing': '执行中',
  'state.unoffered': '未提供',
  'state.offered': '已提供',
  'state.allocated': '已分配',
  'state.started': '已开始',
  'state.open': '未解决',
  'state.dropped': '已放弃',
  'state.done': '已完成',
  'state.failed': '失败',
  'state.paused': '已停用',
  'state.refused': '被拒绝',
  'state.late': '逾期',
  'state.filling': '正在填充',
  'state.ready': '就绪',
  'state.removing': '正在移除',
  'state.active': '活动',
  'state.failing': '出错',
  'state.stopped': '已停止',

  // --- overview

  // --- work

  // --- forms
  'form.required': '必填',
  'form.optional': '{n} 个选填字段',
  'form.notGiven': '未填写',
  'form.choose': '请选择…',
  'form.oneOf': '以下之一',
  'form.between': '{min} 至 {max}',
  'form.atLeast': '至少 {min}',
  'form.atMost': '至多 {max}',
  'form.length': '恰好 {n} 个字符',
  'form.maxLength': '至多 {n} 个字符',
  'form.minLength': '至少 {n} 个字符',
  'form.pattern': '格式：{pattern}',
  'form.least': '至少需要 {n} 项。',
  'form.most': '至多 {n} 项。',
  'form.removeNumber': '移除第 {n} 项',
  'form.days': '天',
  'form.hours': '小时',
  'form.minutes': '分钟',
  'form.seconds': '秒',
  'form.timer.from': '开始',
  'form.timer.OnEnabled': '任务就绪时',
  'form.timer.OnExecuting': '任务开始时',
  'form.timer.ends': '结束',
  'form.timer.after': '经过一段时间',
  'form.timer.at': '在某一时刻',
  'form.timer.workdays': '只计工作日',
  'form.file.tooLarge': '文件大小为 {size}，最多接受 {most}。',
  'form.file.most': '至多 {size}',
  'form.file.later': '案例运行后可以添加文件。',
  'form.file.sending': '正在发送文件',
  'form.blackout': '不显示',
  'form.custom': '此任务有自己的表单：',
  'form.nothing': '没有需要填写的内容。',

  // --- cases

  // --- operations

  // --- case

  // --- history

  // --- processes

  // --- picture

  // --- incidents

  // --- services

  // --- people

  // --- accounts

  // --- live

  // --- server
};
