import { createTexts } from "@lango/interface";

const english = {
	title: "Suppressed addresses",
	lead: "These addresses get no messages, except for critical ones such as codes for signing in.",
	unlisted:
		"An address that is suppressed for every organisation is not listed: look for it by channel and address.",
	address: "Address",
	channel: "Channel",
	category: "Category",
	allCategories: "All that are not critical",
	reason: "Reason",
	reasons: {
		bounce: "Bounced: the address refused a message",
		complaint: "Complaint of the recipient",
		unsubscribe: "Unsubscribed",
		invalid: "The address does not exist",
		manual: "Added by an administrator",
	},
	forAll: "Of every organisation",
	since: "Since",
	until: (day: string) => `until ${day}`,
	actions: "Actions",
	find: "Address (exact)",
	findHint: "Choose the channel of the address first.",
	needsChannel: "Choose a channel to look for an address.",
	none: "No address is suppressed.",
	add: "Suppress an address",
	adding: "Saving…",
	added: "The address is suppressed.",
	missingAddress: "Enter the address.",
	addressHint: "An e-mail address, a phone number or a device token.",
	lift: {
		label: "Lift",
		labelOf: (name: string) => `Lift the suppression of ${name}`,
		title: (name: string) => `Lift the suppression of ${name}?`,
		text: "The address gets messages again. If it bounces once more, it is suppressed again.",
		busy: "Lifting…",
		done: "The suppression is lifted.",
	},
	errors: {
		suppression_kept:
			"Only the platform owner can lift this: the address refused a message for good, or it is suppressed for every organisation. Ask the recipient for another address, or ask support.",
		suppression_not_found: "This suppression was lifted already.",
		address_invalid: "This is not a valid address for the channel.",
		category_critical: "Messages of this category are always sent.",
	},
};

const swahili: typeof english = {
	title: "Anwani zilizozuiwa",
	lead: "Anwani hizi hazipati ujumbe, isipokuwa ule muhimu kama misimbo ya kuingia.",
	unlisted: "Anwani iliyozuiwa kwa mashirika yote haimo kwenye orodha: itafute kwa njia na anwani.",
	address: "Anwani",
	channel: "Njia",
	category: "Aina",
	allCategories: "Zote zisizo muhimu sana",
	reason: "Sababu",
	reasons: {
		bounce: "Ujumbe ulirudi: anwani iliukataa",
		complaint: "Malalamiko ya mpokeaji",
		unsubscribe: "Amejiondoa",
		invalid: "Anwani haipo",
		manual: "Imeongezwa na msimamizi",
	},
	forAll: "Kwa mashirika yote",
	since: "Tangu",
	until: (day) => `hadi ${day}`,
	actions: "Vitendo",
	find: "Anwani (kamili)",
	findHint: "Chagua kwanza njia ya anwani.",
	needsChannel: "Chagua njia ili kutafuta anwani.",
	none: "Hakuna anwani iliyozuiwa.",
	add: "Zuia anwani",
	adding: "Inahifadhiwa…",
	added: "Anwani imezuiwa.",
	missingAddress: "Andika anwani.",
	addressHint: "Barua pepe, namba ya simu au tokeni ya kifaa.",
	lift: {
		label: "Ondoa kizuizi",
		labelOf: (name) => `Ondoa kizuizi cha ${name}`,
		title: (name) => `Uondoe kizuizi cha ${name}?`,
		text: "Anwani itapata ujumbe tena. Ujumbe ukirudi tena, itazuiwa tena.",
		busy: "Inaondolewa…",
		done: "Kizuizi kimeondolewa.",
	},
	errors: {
		suppression_kept:
			"Ni mmiliki wa jukwaa tu anayeweza kuondoa hiki: anwani ilikataa ujumbe kabisa, au imezuiwa kwa mashirika yote. Mwombe mpokeaji anwani nyingine, au waulize wasaidizi.",
		suppression_not_found: "Kizuizi hiki kimeshaondolewa.",
		address_invalid: "Hii si anwani sahihi ya njia hii.",
		category_critical: "Ujumbe wa aina hii hutumwa daima.",
	},
};

export const tables = { en: english, sw: swahili };
export const useSuppressionTexts = createTexts(tables);
