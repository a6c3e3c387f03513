"""The table of Chinese fact rules: patterns over one clause, with what they mean. Applied by facts_zh."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial

from hmind.text.lexicon import either

_KIN, _OTHERS = either("relations", "zh.kin"), either("relations", "zh.others")
WHO = rf"(?:我(?:的|家|们家)?(?:大|小|二|三|最好的|好)?(?:{_KIN}|{_OTHERS})(?!节)|我们(?:家)?|我(?:自己|本人)?|本人)"
_ADV = (
    r"(?:现在|目前|如今|已经|已|刚刚|刚|最近|一直|从小就?|从小|其实|真的|真是|确实|特别|非常|十分|超级|超|很|最|挺|蛮|尤其|还|也|都|就|又|"
    r"平时|平常|经常|常常|总是|天生|有点儿?|严重|终于|正式|马上|正在|正|每天|每晚|长期|暂时|好像|可能|大概|应该|也许|似乎|以前|之前|曾经|过去|原来|"
    r"昨天|今天|前天|去年|今年|前年|上个?(?:月|周|星期)|这个?(?:月|周|星期)|\d{4}年(?:\d+月)?|自|一个人|跟着|因为|对了|小时候|当年|那时候?|大学(?:时|毕业后)|毕业后|"
    r"今早|今晚|昨晚|早上|下午|晚上|年初|年底|本来|大学|又|目前还|仍然|仍|依然|老是)*"
)
ADVERBS = re.compile(_ADV)
_PLACE = r"(?P<o>[\u4e00-\u9fffA-Za-z·]{2,14}?)"
_STOP = r"(?=$|[了的，,。的]|这边|那边|这里|已经|快|差不多|\d|[一二三四五六七八九十两几]+(?:年|个月)|工作|上班|生活|定居|住|读书|上学|长大|出生|和|跟|因为|附近)"
_NAME = r"(?P<o>[\u4e00-\u9fffA-Za-z·]{1,12}?)"
_ONE = r"(?:一|两|二|三|几|好几|[0-9]+)?(?:个|只|条|辆|台|套|把|架|部|间|家|匹|对|栋|块|顶|艘|支|头|缸)?"


@dataclass(frozen=True, slots=True)
class Rule:
    """One way of saying one thing; see the English table for the meaning of the flags.

    Attributes:
        own: only of the speaker, never of 我妈妈.
        place: the object must be able to be a place.
    """

    predicate: str
    pattern: re.Pattern[str]
    confidence: float = 0.9
    value: str = ""
    state: bool = True
    over: bool = False
    starts: bool = False
    dated: bool = False
    needs_future: bool = False
    many: bool = False
    taste: bool = False
    own: bool = False
    place: bool = False
    negative: bool = False
    plan: bool = False
    after_subject: bool = False
    last: bool = True
    longest: int = 16


def _rule(predicate: str, pattern: str, **more: object) -> Rule:
    return Rule(predicate, re.compile(pattern, re.IGNORECASE), **more)  # type: ignore[arg-type]


def _of(predicate: str, verb: str, **more: object) -> Rule:
    """A rule on what follows the subject and its adverbs."""
    return _rule(predicate, verb, after_subject=True, **more)


_mine = partial(_rule, own=True)
_COND, _OCC, _PET = either("facts", "zh.conditions"), either("facts", "zh.occupations"), either("relations", "zh.pets")
_THING, _LANG = either("facts", "zh.things"), either("facts", "zh.languages")

_NAMES = [
    _mine("changed_name_to", rf"^我?{_ADV}(?:的名字|名字)?{_ADV}(?:把名字|名字)?(?:正式)?(?:改名(?:叫|为|成|字叫)?|改(?:叫|成|为))(?:了)?{_NAME}(?=$|了|，)", dated=True, starts=True, state=False),
    _mine("name", rf"^我的?(?:名字|全名|大名|真名|英文名|本名)?(?:就)?(?:叫做?|是叫|名叫)(?!你|他|她|它|个|了|外卖|车|滴|一|不|什么){_NAME}(?=$|，|吧|啊|哦|呀|，|来自)", state=False),
    _mine("name", rf"^我的?(?:名字|全名|大名|真名|英文名|本名)(?:就)?是{_NAME}(?=$|，|啊|哦|呀)", state=False),
    _mine("name", rf"^(?:你?(?:可以)?(?:就)?(?:叫|喊)我|大家都?叫我|朋友们?都?叫我|请叫我|以后叫我){_NAME}(?=$|，|吧|就|啊|好了|哦)", state=False),
    _mine("name", r"^我姓(?P<o>[\u4e00-\u9fff]{1,2})(?=$|，)", state=False, confidence=0.85),
]
_HEALTH = [
    _of("allergic_to", r"对(?P<o>[\u4e00-\u9fffA-Za-z、和与跟及]{1,20}?)(?:都|也|会|有点儿?|严重|特别|非常|很|轻微|重度)*(?:过敏|有过敏反应)", many=True, confidence=0.95),
    _of("allergic_to", r"(?:是|有|属于)?(?:严重的?|轻微的?)?(?P<o>花粉|海鲜|花生|牛奶|鸡蛋|坚果|尘螨|酒精|青霉素|芒果|虾蟹|猫毛|狗毛|紫外线|小麦|大豆|头孢|螨虫|粉尘|乳胶)(?:过敏)(?:体质|症|患者)?", many=True, confidence=0.92),
    _of("allergic_to", r"(?:一)?(?:吃|碰|闻|喝|接触)(?:了|到)?(?P<o>[\u4e00-\u9fff、]{1,8}?)(?:就|会)(?:会)?(?:过敏|起疹子|起荨麻疹|浑身起疹)", many=True, confidence=0.88),
    _of("has_condition", rf"(?:患有|患了|患上了?|得了|得过|有|被?确诊(?:为|了|患有|得了)?|被?诊断(?:为|出|出患有|出了)?|被?查出(?:来)?(?:了|有|患有|得了)?|检查出(?:了)?)(?:严重的?|遗传性|轻微的?|点|一点|老毛病)*(?P<o>(?:轻度|中度|重度|慢性|先天性|早期|晚期|[12二一]型)?(?:{_COND}))", dated=True),
    _of("has_condition", r"(?:被?(?:确诊(?:为|了|患有)?|诊断(?:为|出|出患有)))(?P<o>[\u4e00-\u9fff]{2,10}?(?:病|症|炎|癌|瘤|结石|综合征|结节|障碍))", dated=True),
    _of("has_condition", rf"(?:的)?(?:是|一个)?(?P<o>糖尿病|高血压|哮喘|抑郁症|癫痫|心脏病|色盲|色弱|乳糖不耐受?|贫血|近视)(?:患者|病人|了)?$", dated=False, confidence=0.85),
    _of("takes_medication", r"(?:在|需要|要|得|都要|都得|必须|开始)?(?:吃|服用|服|打|注射|用)(?:着)?(?:医生开的)?(?P<o>[\u4e00-\u9fffA-Za-z]{0,6}(?:降压药|降糖药|胰岛素|二甲双胍|抗抑郁药|安眠药|中药|抗生素|阿司匹林|布洛芬|激素|他汀|优甲乐|褪黑素|止痛药|抗过敏药|氯雷他定|头孢|阿莫西林|吸入剂))", dated=False),
    _of("had_surgery", r"(?:刚)?(?:在[\u4e00-\u9fff]{2,10})?(?:做了|做过|动了|动过|接受了|刚做完|做完了?|开了)(?:个|一个|一次|一场|完)?(?P<o>[\u4e00-\u9fff]{0,10}?(?:手术|移植|搭桥|剖腹产|微创))", dated=True, state=False),
    _of("had_surgery", r"(?:把)?(?P<o>阑尾|扁桃体|胆囊|智齿)(?:切除?了|割了|摘了|拔了|切掉了)", dated=True, state=False),
    _of("has_injury", r"(?:不小心|把|骑车|打球|摔跤|踢球|跑步|滑雪)*(?P<o>(?:左|右)?(?:脚踝|脚|手腕|手|腿|胳膊|膝盖|腰|肩膀?|手指|脚趾|肋骨|锁骨|韧带|跟腱|小腿|手臂)(?:骨折|扭伤|扭了|摔断|崴了|拉伤|撕裂|脱臼|断了|摔伤)(?:了)?)", dated=True, state=False),
    _of("has_injury", r"(?:把)?(?P<o>(?:扭伤|崴|摔断|摔伤)了?(?:左|右)?(?:脚踝?|手腕|腿|胳膊|膝盖|腰))", dated=True, state=False),
]
_HOME = [
    _of("lives_in", rf"(?:刚)?(?:从[\u4e00-\u9fff]{{2,8}}?)?(?:搬家?(?:到|来|去|回)了?|移居(?:到)?了?|定居(?:在|到)?了?|移民(?:到|去)?了?){_PLACE}{_STOP}", dated=True, starts=True, place=True),
    _of("lives_in", rf"(?:是)?(?:住在|住|定居在|定居于|居住在|常住在?|租住在){_PLACE}{_STOP}", dated=True, place=True),
    _of("lives_in", rf"在{_PLACE}(?:住|定居|生活|居住)(?!过)", dated=True, place=True),
    _of("lived_in", rf"在{_PLACE}(?:住过|生活过|待过)", place=True, over=True, confidence=0.65),
    _of("comes_from", r"(?:来自|老家(?:是|在)|家乡(?:是|在)|籍贯是)(?P<o>[\u4e00-\u9fffA-Za-z]{2,10}?)(?=$|的|，|农村|乡下)", state=False),
    _mine("comes_from", r"^我的?(?:老家|家乡|籍贯)(?:是|在)(?P<o>[\u4e00-\u9fffA-Za-z]{2,10}?)(?=$|的|，|农村|乡下)", state=False),
    _of("comes_from", r"是(?:个|土生土长的|地道的|地地道道的)?(?P<o>[\u4e00-\u9fff]{2,5})人(?=$|，|呀|啊)", state=False, place=True),
    _of("born_in", r"(?:是)?(?:在)?(?:出生在|出生于|生在|生于)(?P<o>(?!\d)[\u4e00-\u9fff]{2,10}?)(?=$|的|，|一个)", state=False, place=True),
    _of("grew_up_in", r"(?:是)?在(?P<o>[\u4e00-\u9fff]{2,8}?)(?:出生|长大|读的小学)", state=False, place=True),
]
_WORK = [
    _of("works_at", r"(?:已经|刚)?从(?P<o>[\u4e00-\u9fffA-Za-z0-9]{2,16}?)(?:辞职|离职|退休|跳槽|被裁|辞了职)", over=True, dated=True, confidence=0.85),
    _of("works_at", r"(?:已经|刚)?(?:离开了?|辞去了?|被)(?P<o>[\u4e00-\u9fffA-Za-z0-9]{2,16}?(?:公司|集团|银行|大学|学校|医院)|阿里|腾讯|百度|字节跳动|字节|华为|谷歌|微软)(?:裁员|裁了|辞退|的工作|$)", over=True, dated=True, confidence=0.83),
    _of("employment", r"(?:已经|刚)?(?P<o>辞职|离职|退休|失业|被裁员|被裁|下岗|裸辞)(?:在家|了|$)", dated=True, starts=True, state=False),
    _of("works_at", r"(?:刚)?(?:入职|跳槽到|跳槽去|加入|进入?|去)了?(?P<o>[\u4e00-\u9fffA-Za-z0-9]{2,16}?(?:公司|集团|银行|大学|学校|医院|中学|小学|事务所|研究所|工作室|局|杂志社|出版社)|阿里巴巴|阿里|腾讯|百度|字节跳动|字节|华为|谷歌|微软|京东|美团|小米)(?=$|了|，|工作|上班|当|做|实习)", dated=True, starts=True, last=False),
    _of("works_as", rf"(?:在[\u4e00-\u9fffA-Za-z0-9]{{2,16}}?)?(?:是|当|做|担任|的职业是|的工作是|职业是|当上了|转行做了?|从事)(?:了)?(?:一名|一位|一个|个|名|位)?(?:[\u4e00-\u9fff]{{2,6}}的)?(?P<o>(?:[\u4e00-\u9fffA-Za-z]{{0,6}}?)(?:{_OCC}))(?=$|，|的?工作|了|啊|呀)", last=False),
    _of("works_at", r"(?:是)?在(?P<o>[\u4e00-\u9fffA-Za-z0-9]{2,16}?)(?:上班|工作|任职|就职|打工|实习|当(?=[\u4e00-\u9fff])|做(?=[\u4e00-\u9fff]{2}))", dated=True),
    _of("works_at", rf"是(?P<o>[\u4e00-\u9fffA-Za-z]{{2,14}}?(?:公司|集团|银行|大学|学校|医院|中学|小学|事务所|研究所|阿里|腾讯|百度|华为|字节))的(?:一名|一位)?(?:{_OCC}|员工|职员)", confidence=0.88),
]
_STUDY = [
    _of("graduated_from", r"(?:是)?(?:从|在)?(?P<o>[\u4e00-\u9fffA-Za-z]{2,12}?(?:大学|学院|中学|高中|学校|北大|清华|复旦|浙大))(?:毕业)", dated=True, state=False),
    _of("graduated_from", r"(?:是)?(?:毕业于)(?P<o>[\u4e00-\u9fffA-Za-z]{2,12})", dated=True, state=False),
    _of("studies_at", r"(?:刚)?(?:考上|考进|考入|被)(?:了)?(?P<o>[\u4e00-\u9fffA-Za-z]{2,12}?(?:大学|学院|中学|高中|北大|清华|复旦|浙大))(?:录取)?(?:了|$|，|的)", dated=True, starts=True),
    _of("studies_at", r"(?:正)?在(?P<o>[\u4e00-\u9fffA-Za-z]{2,12}?)(?:读书|上学|上大学|读大学|念书|念大学|读研究?生?|读博士?|读高[一二三中]|读本科|读大[一二三四]|学习|留学|读[\u4e00-\u9fff]{2,6}专业|学[\u4e00-\u9fff]{2,6}专业)", dated=True),
    _of("studies", r"(?:在[\u4e00-\u9fffA-Za-z]{2,12})?(?:的专业是|专业是|主修|学的是|读的是|学|读|念)(?P<o>[\u4e00-\u9fff]{2,10}?)(?:专业|$|，|的)(?<!习)", confidence=0.83),
    _of("studies_at", r"是(?P<o>[\u4e00-\u9fffA-Za-z]{2,12}?(?:大学|学院|中学|高中|北大|清华|复旦|浙大))的?(?:大[一二三四]|高[一二三]|研[一二三]|博士|硕士|本科)?(?:学生|新生|研究生|博士生|大[一二三四]|在读)", confidence=0.9),
]
_SHORT_KIN = {"sister": "姐姐|妹妹|姐|妹|表姐|表妹|堂姐|堂妹", "brother": "哥哥|弟弟|哥|弟|表哥|表弟|堂哥|堂弟", "child": "儿子|女儿|孩子|宝宝|双胞胎", "spouse": "老公|丈夫|老婆|妻子|太太|爱人", "partner": "男朋友|女朋友|男友|女友|对象"}
_FAMILY = [
    _mine("marital_status", rf"^我(?:们)?(?:和[\u4e00-\u9fff]{{1,6}})?{_ADV}(?:领证)?(?P<o>结婚|离婚|订婚|领证|分手)(?:[一二三四五六七八九十\d两]+年)?(?:了|啦)", dated=True, state=False, last=False),
    _mine("marital_status", rf"^我{_ADV}(?:是)?(?P<o>单身|已婚|未婚|离异|丧偶)(?=$|，|的|状态|狗|人士)", last=False),
    _mine("is_pregnant", rf"^我(?:老婆|妻子|太太|爱人|媳妇)?{_ADV}(?:怀孕|怀上|有喜)(?:[\d一二三四五六七八九十两]+个?(?:月|周))?(?:了|啦|$)", value="yes", dated=True, state=False),
    _mine("has_child", rf"^(?:我|我老婆|我妻子|我太太|我媳妇|我们){_ADV}(?:生了|迎来了|生下了?)(?:个|一个|一对|我们的|第一个|第二个)*(?P<o>儿子|女儿|宝宝|双胞胎|龙凤胎|男孩|女孩|孩子|小孩)", dated=True, starts=True, state=False),
    _rule("lost", rf"^我(?:的|家)?(?P<o>{_KIN}|猫|狗|狗狗|好朋友|闺蜜){_ADV}(?:因病|突然|不幸)*(?:去世|过世|离世|病逝|逝世|走了|不在了)", own=True, dated=True, state=False),
    *[
        _mine(f"has_{kin}", rf"^我(?:们)?(?:家)?{_ADV}有(?:了)?(?:一|两|二|三|四|俩|仨|\d)?(?:个|位|对)?(?P<o>(?:[\d一二三四五六七八九十]+岁的|双胞胎|亲|大|小|可爱的|在[\u4e00-\u9fff]{{2,6}}(?:读书|工作|上学)的)?(?:{forms})(?:叫[\u4e00-\u9fff]{{2,4}})?)(?!朋友)", state=False)
        for kin, forms in _SHORT_KIN.items()
    ],
    *[
        _mine(f"has_{kin}", rf"^我(?:的|家|们家)?(?:大|小)?(?:{forms})(?:的名字|的小名|小名|大名|名字)?(?:叫做?|名叫|是叫)(?!我|你|他|她){_NAME}(?=$|，|今年|已经|在|是)", state=False)
        for kin, forms in {**_SHORT_KIN, "mother": "妈妈|母亲|妈", "father": "爸爸|父亲|爸", "friend": "朋友|好朋友|闺蜜", "colleague": "同事", "boss": "老板|领导|上司", "roommate": "室友|舍友"}.items()
    ],
]
_PETS = [
    _mine("has_pet", rf"^(?:我|我们|我家|我们家){_ADV}(?:养了?|领养了?|收养了?|买了|有|救助了|捡了)(?:一|两|二|三|几|\d)?(?:只|条|匹|个|头|缸)?(?P<o>(?:[\u4e00-\u9fff]{{1,4}}?)?(?:{_PET})(?:和[\u4e00-\u9fff]{{1,4}}?(?:{_PET}))?(?:(?:名字)?叫[\u4e00-\u9fffA-Za-z]{{1,8}})?)(?=$|，|了|陪|已经)", dated=True),
    _mine("has_pet", rf"^我(?:家|的|们家)(?:的|那只|那条)?(?P<o>(?:小|大)?(?:{_PET})(?:的名字|名字)?(?:叫|是叫|名叫)[\u4e00-\u9fffA-Za-z]{{1,6}}?)(?=$|，|今年|已经)", state=False),
]
_TASTES = [
    _of("diet", r"(?:是)?(?:个|一个|一名)?(?:严格的?)?(?:(?:开始|改|一直)?吃(?!素)|开始|一直)?(?P<o>素食主义者|素食者|纯素|全素|长素|吃素|清真|生酮|低碳水?)(?:者|饮食)?", dated=False),
    _of("avoids", r"(?:从来|从|完全|基本|一点都|都|一口都)?(?:不|从不)(?:能|可以|怎么|太)?(?:吃|喝|碰|沾|抽)(?:得)?(?P<o>(?!了|完|下|饱|到|起|惯|上|得|早|晚|午|饭)[\u4e00-\u9fff、和]{1,10}?)(?=$|的|，|了|因为|会)", many=True, negative=True, taste=True),
    _of("avoids", r"(?:已经|终于|决定|成功)?戒(?:掉)?了?(?P<o>烟酒|烟|酒|糖|咖啡|奶茶|可乐|甜食|游戏|零食)(?:了|[一二三四五六七八九十\d半两]+(?:年|个月|天|周))?", dated=True, starts=True, state=False),
    _of("dislikes", r"(?:不(?:太|怎么|大|是很|是特别)?(?:喜欢|爱|想吃|感兴趣)(?:吃|喝|看|听)?|讨厌|受不了|反感|烦|厌恶|痛恨|吃不惯)(?P<o>[\u4e00-\u9fffA-Za-z、和]{1,14}?)(?=$|，|了|的(?:味道|声音|人)|啊|呢)", many=True, negative=True, taste=True),
    _mine("favorite", r"^我的?(?P<o>最(?:喜欢|爱|爱吃|爱喝|喜欢吃|喜欢看)的[\u4e00-\u9fff]{1,8}?(?:就?是)[\u4e00-\u9fffA-Za-z《》、]{1,16})", longest=30),
    _of("prefers", r"(?:更|比较|还是更|相比之下更)(?:喜欢|爱|偏爱|倾向于)(?:吃|喝|看|用)?(?P<o>[\u4e00-\u9fffA-Za-z]{1,14}?)(?=$|，|一点|一些)", taste=True),
    _of("prefers", r"(?:偏爱|偏好|宁愿|宁可|更偏向)(?P<o>[\u4e00-\u9fffA-Za-z]{1,14}?)(?=$|，|也不)", taste=True),
    _of("likes", r"(?:喜欢上了?|喜欢|爱上了?|酷爱|热爱|痴迷于?|沉迷于?|迷上了?|爱好是|爱好|爱(?=吃|喝|看|听|玩|读|跑|逛|打)|的爱好(?:就)?是)(?P<o>[\u4e00-\u9fffA-Za-z《》、和]{1,16}?)(?=$|，|了$|啊|呢)", many=True, taste=True),
]
_POSSESSIONS = [
    _mine("owns", rf"^我(?:们)?{_ADV}(?:把|将)?(?:我的|旧|老|家里的|那辆|那台|那套)*(?P<o>[\u4e00-\u9fff]{{0,4}}?(?:{_THING}))(?:给|都)?(?:卖了|卖掉了|转手了|送人了)", over=True, dated=True, confidence=0.85),
    _mine("owns", rf"^我(?:们)?{_ADV}(?:在[\u4e00-\u9fff]{{2,8}})?(?:买了|入手了|购买了|提了|订了|开了)(?:自己的|属于自己的|人生第一|第一)*{_ONE}(?:自己的|属于自己的|新的?|二手的?|全新的?)?(?P<o>(?:[\u4e00-\u9fffA-Za-z0-9]{{0,8}}?)(?:{_THING}))(?=$|，|了|来|给自己|送自己|练|用)", dated=True, starts=True),
    _mine("owns", rf"^我(?:们)?(?:家)?{_ADV}有(?:一|两|二|三|\d)(?:辆|台|套|把|架|部|间|家|栋|块|艘)(?:自己的|二手的?|旧|老)?(?P<o>(?:[\u4e00-\u9fffA-Za-z0-9]{{0,8}}?)(?:{_THING}))(?=$|，|了|在)"),
]
_PERSONAL = [
    _mine("birthday", r"^我的?(?:阴历|农历|阳历)?生日(?:就)?(?:是|在)(?P<o>(?:农历|阴历|阳历)?(?:\d{2,4}年)?[\d一二三四五六七八九十正腊冬]+月(?:[\d一二三四五六七八九十初廿]+[日号]?)?)", state=False),
    _mine("birthday", r"^我(?:是)?(?:出生于|生于)?(?P<o>\d{4}年\d+月\d+[日号])(?:出生|生的|生)", state=False),
    _mine("birth_year", r"^我(?:是)?(?:出生于|生于)?(?P<o>(?:19|20)\d\d)年(?:出生|生的|生)", state=False),
    _of("age", r"(?:今年|马上|快|刚|刚满|已经|就要|虚岁|周岁|都)*(?:满|到)?(?P<o>\d{1,3}|[一二三四五六七八九十]{1,3})(?:周)?岁(?!的时候|时|那年|以前|之前|开始|就)", state=False),
    _mine("speaks", rf"^我{_ADV}(?:会|能|可以)(?:说|讲)?(?:一点|一些|流利的?)?(?P<o>(?:{_LANG})(?:[、和](?:{_LANG}))*)", many=True),
    _mine("speaks", rf"^我的?母语(?:是)?(?P<o>{_LANG})", state=False),
    _mine("preferred_language", rf"^(?:请|以后|之后|麻烦|希望你?|你)*(?:都|一律|请|只)*(?:用|以|使用)(?P<o>{_LANG})(?:来)?(?:回复|回答|跟我|和我|与我|交流|沟通|聊|说|写)"),
    _mine("contact_preference", r"^(?:请|以后|最好|尽量|麻烦)+(?:通过|用|发|在)?(?P<o>微信|邮件|电子邮件|短信|电话|[\u4e00-\u9fff\d]{0,8}(?:点|时)(?:以后|之后|以前|之前))(?:上)?(?:联系|找|通知|打给|告诉)我"),
]
_DO = r"(?P<o>(?:去|到|回|来|做|参加|学|开|买|搬|跑|写|考|换|报名|办|和|跟|带|陪|申请|出差|旅[游行]|结婚|辞职|看|准备|在|从|把|给|飞|举办|接受|住院|动手术|见|创业|减肥|戒|健身|养|面试|拍|找|报|读|重新|尝试|试|每天|每周|考研|考证|搬家|装修|请|坐|骑|爬|露营|滑雪|回家|组织|开始|完成|种|存|练|离开|领养)[\u4e00-\u9fffA-Za-z0-9《》、·]{0,24})"
_PLANS = [
    _of("plans_to", rf"(?:和[\u4e00-\u9fff]{{1,5}}一起)?(?:打算|计划|准备|决定|已经决定|考虑好了|报名了|报名参加了?|约好了?|定好了?|将要|即将)(?:和[\u4e00-\u9fff]{{1,5}}一起)?(?:在|于)?(?:今年|明年|明天|后天|下个?(?:周|月|星期)[一二三四五六日天末]?|这个?(?:周|月)[一二三四五六日天末]?|周[一二三四五六日末]|年底|[\d一二三四五六七八九十]+月(?:[\d一二三四五六七八九十]+[日号])?(?:份)?|寒假|暑假|国庆节?|春节|五一|十一|秋天|夏天|冬天|春天)?(?:早上|上午|中午|下午|晚上)?{_DO}", dated=True, state=False, longest=30, plan=True),
    _of("plans_to", rf"(?:和[\u4e00-\u9fff]{{1,5}}(?:一起)?)?(?:大后天|明天|后天|明年|今晚|明晚|周[一二三四五六日天末]|星期[一二三四五六日天]|下个?(?:周|月|星期|礼拜)[一二三四五六日天末]?|这个?(?:周|月|星期)[一二三四五六日天末]?|年底|月底|\d+月(?:\d+[日号])?|\d+[日号]|寒假|暑假|国庆节?|春节|五一|十一|过几天|过两天)(?:早上|上午|中午|下午|晚上|一早)?(?:[\d一二三四五六七八九十两]+点(?:半)?)?(?:就)?(?:和[\u4e00-\u9fff]{{1,5}}(?:一起)?)?(?:要|会|得|将|想|准备|打算|就要)?{_DO}", dated=True, needs_future=True, state=False, longest=30, plan=True),
    _of("plans_to", rf"(?:要|会|将|得){_DO}", dated=True, needs_future=True, state=False, longest=30, plan=True),
    _mine("has_goal", r"^我(?:的|今年的|最大的|明年的)?(?:目标|梦想|理想|愿望|新年计划)(?:就)?是(?P<o>[\u4e00-\u9fffA-Za-z0-9、]{2,30})", longest=30, confidence=0.85),
]

RULES: tuple[Rule, ...] = (
    *_NAMES, *_HEALTH, *_FAMILY, *_PLANS, *_HOME, *_WORK, *_STUDY, *_PETS, *_PERSONAL, *_POSSESSIONS, *_TASTES,
)  # fmt: skip
"""In the order in which they are tried; the first that fits and is ``last`` ends the clause."""
