import { createTexts } from "@lango/interface";

const english = {
	title: "Limits",
	lead: (tenant: string) =>
		`How many messages ${tenant} sends per minute on each channel, and how many one request may have. A program that sends too fast has to wait.`,
	defaultsLead:
		"How many messages an organisation without limits of its own sends per minute on each channel, and how many one request may have.",
	channels: {
		email: "E-mail",
		sms: "SMS",
		push: "Push notifications",
		whatsapp: "WhatsApp",
		in_app: "Inbox",
	},
	members: { per_minute: "per minute", burst: "at once" },
	platformDefault: "As the platform’s",
	changed: "Changed",
	ceiling: (perMinute: string, burst: string) => `At most ${perMinute} per minute and ${burst} at once.`,
	lowerNote:
		"You can lower the limits. Only the platform owner can raise them above the platform’s: ask if you need more.",
	raiseNote: "What you set is also the most that the organisation may choose.",
	save: "Save",
	saving: "Saving…",
	saved: "The limits were saved. They apply to the next requests.",
	unchanged: "No limit differs from the current one.",
	invalid: (what: string) => `${what}: enter a whole number from 1 to 1,000,000.`,
	above: (what: string) =>
		`${what}: this is above the platform’s limit. Only the platform owner can raise it.`,
	reset: {
		label: "Reset all",
		title: "Reset all limits?",
		text: "The platform’s limits apply again to the next requests.",
		busy: "Resetting…",
		done: "The limits were reset.",
	},
	errors: {
		limit_above_platform: "This is above the platform’s limit. Only the platform owner can raise it.",
	},
};

const swahili: typeof english = {
	title: "Vikomo",
	lead: (tenant) =>
		`Idadi ya ujumbe ambao ${tenant} hutuma kwa dakika kwenye kila njia, na ambao ombi moja linaweza kuwa nao. Programu inayotuma haraka mno husubiri.`,
	defaultsLead:
		"Idadi ya ujumbe ambao shirika lisilo na vikomo vyake hutuma kwa dakika kwenye kila njia, na ambao ombi moja linaweza kuwa nao.",
	channels: {
		email: "Barua pepe",
		sms: "Ujumbe wa SMS",
		push: "Arifa za simu",
		whatsapp: "Ujumbe wa WhatsApp",
		in_app: "Kikasha",
	},
	members: { per_minute: "kwa dakika", burst: "kwa mara moja" },
	platformDefault: "Kama cha jukwaa",
	changed: "Kimebadilishwa",
	ceiling: (perMinute, burst) => `Si zaidi ya ${perMinute} kwa dakika na ${burst} kwa mara moja.`,
	lowerNote:
		"Mnaweza kupunguza vikomo. Mmiliki wa jukwaa tu ndiye anayeweza kuvipandisha juu ya vya jukwaa: ombeni mkihitaji zaidi.",
	raiseNote: "Unachoweka ndicho pia kikomo cha juu ambacho shirika linaweza kuchagua.",
	save: "Hifadhi",
	saving: "Inahifadhiwa…",
	saved: "Vikomo vimehifadhiwa. Vinatumika kwa maombi yanayofuata.",
	unchanged: "Hakuna kikomo kilichobadilika.",
	invalid: (what) => `${what}: andika namba nzima kuanzia 1 hadi 1,000,000.`,
	above: (what) => `${what}: ni juu ya kikomo cha jukwaa. Mmiliki wa jukwaa tu ndiye anayeweza kukipandisha.`,
	reset: {
		label: "Rudisha vyote",
		title: "Urudishe vikomo vyote?",
		text: "Vikomo vya jukwaa vitatumika tena kwa maombi yanayofuata.",
		busy: "Vinarudishwa…",
		done: "Vikomo vimerudishwa.",
	},
	errors: {
		limit_above_platform: "Ni juu ya kikomo cha jukwaa. Mmiliki wa jukwaa tu ndiye anayeweza kukipandisha.",
	},
};

export const tables = { en: english, sw: swahili };
export const useLimitTexts = createTexts(tables);
