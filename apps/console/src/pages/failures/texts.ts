import { createTexts, type Language } from "@lango/interface";

const english = {
	title: "What failed",
	lead: (zone: string) =>
		`What services could not do by themselves, service by service. Times are in ${zone}.`,
	services: "Services",
	names: { subscriptions: "Subscriptions" },
	away: "No answer",
	failed: "failed",
	more: (count: string) => `more than ${count}`,
	nothingToFail: "This service takes no events and has no jobs: nothing can fail here.",
	letters: "Events",
	lettersLead:
		"Events that came and could not be applied, ten times over. Later ones about the same thing wait behind them.",
	noLetters: "Every event was applied.",
	searchType: "Show one event type, such as auth.user.updated",
	noType: "No failed event has exactly this type.",
	jobs: "Jobs",
	jobsLead: "Work whose last try failed.",
	noJobs: "No job failed for good.",
	event: "Event",
	job: "Job",
	why: "Why",
	tried: (times: number) => (times === 1 ? "tried once" : `tried ${times} times`),
	since: "Since",
	waiting: "Waiting behind it",
	deed: "Try again or give up",
	show: "Show what came",
	redrive: "Try again",
	redriveOne: (what: string) => `Try again: ${what}`,
	redriveTitle: "Try the event again?",
	redriveText: (waiting: number) =>
		[
			"It is tried ten times as if it were new. Should it fail again, it comes back here.",
			waiting === 1 && "What waits behind it follows.",
			waiting > 1 && `The ${waiting} waiting behind it follow in order.`,
		]
			.filter(Boolean)
			.join(" "),
	redriving: "Handing it over…",
	redriven: "It is tried again.",
	redriveJobTitle: "Try the job again?",
	redriveJobText:
		"It goes back into its queue with all its tries. Should the last one fail again, it comes back here.",
	jobRedriven: "The job is in its queue again.",
	jobLaidAside: "Another job does what there is to do; this one is laid aside.",
	redriveAll: "Try all again",
	redriveAllOf: { "dead-letters": "Try all again: events", "dead-jobs": "Try all again: jobs" },
	redriveAllTitle: "Try all again?",
	redriveAllText: "One after the other, in the order they came. What fails again comes back here.",
	progress: (done: number, all: number) => `${done} of ${all}…`,
	allRedriven: (count: number) => (count === 1 ? "1 is tried again." : `${count} are tried again.`),
	discard: "Give up",
	discardOne: (what: string) => `Give up: ${what}`,
	discardTitle: "Give the event up?",
	discardText: (waiting: number) =>
		[
			"It never has its effect in this service. This cannot be undone.",
			waiting === 1 && "What waits behind it goes on without it.",
			waiting > 1 && `The ${waiting} waiting behind it go on without it.`,
		]
			.filter(Boolean)
			.join(" "),
	discardConfirm: "Give it up",
	discarding: "Giving it up…",
	discarded: "The event is given up.",
	refused: { not_found: "Somebody else has taken care of it already." },
};

type Texts = typeof english;

const swahili: Texts = {
	title: "Yaliyoshindikana",
	lead: (zone) => `Ambayo huduma hazikuweza kuyafanya zenyewe, huduma kwa huduma. Nyakati ni za ${zone}.`,
	services: "Huduma",
	names: { subscriptions: "Malipo ya mipango" },
	away: "Hakuna jibu",
	failed: "yameshindikana",
	more: (count) => `zaidi ya ${count}`,
	nothingToFail: "Huduma hii haipokei matukio wala haina kazi: hakuna kinachoweza kushindikana hapa.",
	letters: "Matukio",
	lettersLead:
		"Matukio yaliyofika na hayakuweza kutekelezwa, mara kumi. Ya baadaye kuhusu kitu hicho yanasubiri nyuma yake.",
	noLetters: "Kila tukio limetekelezwa.",
	searchType: "Onyesha aina moja ya tukio, kama auth.user.updated",
	noType: "Hakuna tukio lililoshindikana la aina hii hasa.",
	jobs: "Kazi",
	jobsLead: "Kazi ambazo jaribio lake la mwisho lilishindikana.",
	noJobs: "Hakuna kazi iliyoshindikana kabisa.",
	event: "Tukio",
	job: "Kazi",
	why: "Sababu",
	tried: (times) => (times === 1 ? "lilijaribiwa mara moja" : `lilijaribiwa mara ${times}`),
	since: "Tangu",
	waiting: "Yanayosubiri nyuma",
	deed: "Jaribu tena au acha",
	show: "Onyesha kilichofika",
	redrive: "Jaribu tena",
	redriveOne: (what) => `Jaribu tena: ${what}`,
	redriveTitle: "Ujaribu tukio hili tena?",
	redriveText: (waiting) =>
		[
			"Litajaribiwa mara kumi kana kwamba ni jipya. Likishindikana tena, litarudi hapa.",
			waiting === 1 && "Linalosubiri nyuma yake litafuata.",
			waiting > 1 && `${waiting} yanayosubiri nyuma yake yatafuata kwa mpangilio.`,
		]
			.filter(Boolean)
			.join(" "),
	redriving: "Linakabidhiwa…",
	redriven: "Linajaribiwa tena.",
	redriveJobTitle: "Ujaribu kazi hii tena?",
	redriveJobText: "Inarudi kwenye foleni yake na majaribio yake yote. Ikishindikana tena, itarudi hapa.",
	jobRedriven: "Kazi iko kwenye foleni yake tena.",
	jobLaidAside: "Kazi nyingine inafanya kinachohitajika; hii imewekwa kando.",
	redriveAll: "Jaribu yote tena",
	redriveAllOf: { "dead-letters": "Jaribu yote tena: matukio", "dead-jobs": "Jaribu yote tena: kazi" },
	redriveAllTitle: "Ujaribu yote tena?",
	redriveAllText: "Moja baada ya jingine, kwa mpangilio yalivyofika. Litakaloshindikana tena litarudi hapa.",
	progress: (done, all) => `${done} kati ya ${all}…`,
	allRedriven: (count) => (count === 1 ? "Limejaribiwa tena 1." : `Yanajaribiwa tena ${count}.`),
	discard: "Acha",
	discardOne: (what) => `Acha: ${what}`,
	discardTitle: "Uache tukio hili?",
	discardText: (waiting) =>
		[
			"Halitatekelezwa kamwe katika huduma hii. Hili haliwezi kutenduliwa.",
			waiting === 1 && "Linalosubiri nyuma yake litaendelea bila hilo.",
			waiting > 1 && `${waiting} yanayosubiri nyuma yake yataendelea bila hilo.`,
		]
			.filter(Boolean)
			.join(" "),
	discardConfirm: "Liache",
	discarding: "Linaachwa…",
	discarded: "Tukio limeachwa.",
	refused: { not_found: "Mtu mwingine ameshalishughulikia." },
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useFailureTexts = createTexts(tables);
