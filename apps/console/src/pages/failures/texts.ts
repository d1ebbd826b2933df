import { createTexts } from "@lango/interface";

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
	redrive: {
		label: "Retry",
		labelOf: (what: string) => `Retry: ${what}`,
		title: "Retry the event?",
		text: (waiting: number) =>
			[
				"It gets ten new attempts. If it fails again, it returns to this list.",
				waiting === 1 && "The event waiting behind it follows.",
				waiting > 1 && `The ${waiting} events waiting behind it follow in order.`,
			]
				.filter(Boolean)
				.join(" "),
		busy: "Retrying…",
		done: "The event is being retried.",
	},
	redriveJob: {
		title: "Retry the job?",
		text: "It returns to its queue with all its attempts. If the last one fails again, it returns to this list.",
	},
	jobRedriven: "The job is in its queue again.",
	jobLaidAside: "Another job already does this work. This one was discarded.",
	redriveAll: {
		label: "Retry all",
		labels: { "dead-letters": "Retry all: events", "dead-jobs": "Retry all: jobs" },
		title: "Retry all?",
		text: "They are retried in order. Those that fail again return to this list.",
	},
	progress: (done: number, all: number) => `${done} of ${all}…`,
	allRedriven: (count: number) => (count === 1 ? "1 is being retried." : `${count} are being retried.`),
	discard: {
		label: "Discard",
		labelOf: (what: string) => `Discard: ${what}`,
		title: "Discard the event?",
		text: (waiting: number) =>
			[
				"The event will never be applied in this service. This cannot be undone.",
				waiting === 1 && "The event waiting behind it is then applied.",
				waiting > 1 && `The ${waiting} events waiting behind it are then applied.`,
			]
				.filter(Boolean)
				.join(" "),
		confirm: "Discard event",
		busy: "Discarding…",
		done: "The event was discarded.",
	},
	errors: { not_found: "It was already retried or discarded." },
};

const swahili: typeof english = {
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
	redrive: {
		label: "Jaribu tena",
		labelOf: (what) => `Jaribu tena: ${what}`,
		title: "Ujaribu tukio hili tena?",
		text: (waiting) =>
			[
				"Litajaribiwa mara kumi kana kwamba ni jipya. Likishindikana tena, litarudi hapa.",
				waiting === 1 && "Linalosubiri nyuma yake litafuata.",
				waiting > 1 && `${waiting} yanayosubiri nyuma yake yatafuata kwa mpangilio.`,
			]
				.filter(Boolean)
				.join(" "),
		busy: "Linakabidhiwa…",
		done: "Linajaribiwa tena.",
	},
	redriveJob: {
		title: "Ujaribu kazi hii tena?",
		text: "Inarudi kwenye foleni yake na majaribio yake yote. Ikishindikana tena, itarudi hapa.",
	},
	jobRedriven: "Kazi iko kwenye foleni yake tena.",
	jobLaidAside: "Kazi nyingine inafanya kinachohitajika; hii imetupwa.",
	redriveAll: {
		label: "Jaribu yote tena",
		labels: { "dead-letters": "Jaribu yote tena: matukio", "dead-jobs": "Jaribu yote tena: kazi" },
		title: "Ujaribu yote tena?",
		text: "Moja baada ya jingine, kwa mpangilio yalivyofika. Litakaloshindikana tena litarudi hapa.",
	},
	progress: (done, all) => `${done} kati ya ${all}…`,
	allRedriven: (count) => (count === 1 ? "Limejaribiwa tena 1." : `Yanajaribiwa tena ${count}.`),
	discard: {
		label: "Tupa",
		labelOf: (what) => `Tupa: ${what}`,
		title: "Utupe tukio hili?",
		text: (waiting) =>
			[
				"Halitatekelezwa kamwe katika huduma hii. Hili haliwezi kutenduliwa.",
				waiting === 1 && "Linalosubiri nyuma yake litaendelea bila hilo.",
				waiting > 1 && `${waiting} yanayosubiri nyuma yake yataendelea bila hilo.`,
			]
				.filter(Boolean)
				.join(" "),
		confirm: "Litupe",
		busy: "Linatupwa…",
		done: "Tukio limetupwa.",
	},
	errors: { not_found: "Limeshajaribiwa tena au limetupwa." },
};

export const tables = { en: english, sw: swahili };
export const useFailureTexts = createTexts(tables);
