import { createTexts, type Language } from "@lango/interface";

const english = {
	title: "Failed events and jobs",
	lead: (zone: string) => `Events and jobs that failed after all retries, by service. Times are in ${zone}.`,
	services: "Services",
	names: { subscriptions: "Subscriptions" },
	unavailable: "Unavailable",
	failed: "failed",
	more: (count: string) => `more than ${count}`,
	nothingToFail: "This service has no events and no jobs.",
	letters: "Events",
	lettersLead: "Events that failed ten times. Later events about the same subject wait behind them.",
	noLetters: "There are no failed events.",
	searchType: "Show one event type, such as auth.user.updated",
	noType: "No failed events of this type.",
	jobs: "Jobs",
	jobsLead: "Jobs whose last attempt failed.",
	noJobs: "There are no failed jobs.",
	event: "Event",
	job: "Job",
	why: "Error",
	tried: (times: number) => (times === 1 ? "1 attempt" : `${times} attempts`),
	since: "Since",
	waiting: "Waiting behind it",
	actions: "Actions",
	show: "Show the event",
	redrive: "Retry",
	redriveOne: (what: string) => `Retry: ${what}`,
	redriveTitle: "Retry the event?",
	redriveText: (waiting: number) =>
		[
			"It gets ten new attempts. If it fails again, it returns to this list.",
			waiting === 1 && "The event waiting behind it follows.",
			waiting > 1 && `The ${waiting} events waiting behind it follow in order.`,
		]
			.filter(Boolean)
			.join(" "),
	redriving: "Retrying…",
	redriven: "The event is being retried.",
	redriveJobTitle: "Retry the job?",
	redriveJobText:
		"It returns to its queue with all its attempts. If the last one fails again, it returns to this list.",
	jobRedriven: "The job is in its queue again.",
	jobLaidAside: "Another job already does this work. This one was discarded.",
	redriveAll: "Retry all",
	redriveAllOf: { "dead-letters": "Retry all: events", "dead-jobs": "Retry all: jobs" },
	redriveAllTitle: "Retry all?",
	redriveAllText: "They are retried in order. Those that fail again return to this list.",
	progress: (done: number, all: number) => `${done} of ${all}…`,
	allRedriven: (count: number) => (count === 1 ? "1 is being retried." : `${count} are being retried.`),
	discard: "Discard",
	discardOne: (what: string) => `Discard: ${what}`,
	discardTitle: "Discard the event?",
	discardText: (waiting: number) =>
		[
			"The event will never be applied in this service. This cannot be undone.",
			waiting === 1 && "The event waiting behind it is then applied.",
			waiting > 1 && `The ${waiting} events waiting behind it are then applied.`,
		]
			.filter(Boolean)
			.join(" "),
	discardConfirm: "Discard event",
	discarding: "Discarding…",
	discarded: "The event was discarded.",
	refused: { not_found: "It was already retried or discarded." },
};

type Texts = typeof english;

const swahili: Texts = {
	title: "Matukio na kazi zilizoshindikana",
	lead: (zone) => `Ambayo huduma hazikuweza kuyafanya zenyewe, huduma kwa huduma. Nyakati ni za ${zone}.`,
	services: "Huduma",
	names: { subscriptions: "Usajili" },
	unavailable: "Haipatikani",
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
	actions: "Vitendo",
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
	jobLaidAside: "Kazi nyingine inafanya kinachohitajika; hii imeachwa.",
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
	refused: { not_found: "Limeshajaribiwa tena au limeachwa." },
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useFailureTexts = createTexts(tables);
