import { createTexts } from "@lango/interface";

const english = {
	title: "Signing keys",
	lead: (zone: string) => `The keys that sign all tokens. Times are in ${zone}.`,
	note: "Keys are rotated automatically every 90 days. A new key is published 11 minutes before it is used, and the previous key stays published for another 90 days. Rotate keys yourself if the rules of your organisation require it. Revoke a key only if it may be compromised.",
	empty: "There are no keys. The sign-in service creates them when it starts.",
	key: "Key",
	algorithms: { ES256: "ES256, for access tokens", RS256: "RS256, for ID tokens" },
	status: "Status",
	statuses: { pending: "Pending", active: "Active", retired: "Retired" },
	since: "Since",
	goesOn: "Next",
	goesOnAt: {
		pending: (at: string) => `Can be used from ${at}`,
		active: (at: string) => `Replaced by ${at}`,
		retired: (at: string) => `Published until ${at}`,
	},
	action: "Revoke",
	rotate: {
		label: "Rotate keys",
		title: "Rotate keys?",
		text: "New keys are published immediately. Rotate again after 11 minutes to start using them. No one is signed out.",
		busy: "Rotating…",
	},
	outcomes: {
		prepared: "New keys are published. Rotate again in 11 minutes to start using them.",
		changed:
			"The new keys are now in use. Tokens signed with the previous keys stay valid until they expire.",
		waiting:
			"The new keys are published. Rotate again 11 minutes after their publication to start using them.",
	},
	revoke: {
		label: "Revoke",
		labelOf: (key: string) => `Revoke the key ${key}`,
		title: (key: string) => `Revoke the key ${key}…?`,
		text: {
			pending: "It has not been used yet. It is removed and will never be used.",
			active:
				"Only for emergencies. Every token that it signed is refused within 5 minutes, and programs and people need new tokens. Another key replaces it immediately.",
			retired:
				"Only for emergencies. Every token that it signed is refused within 5 minutes, and programs and people need new tokens.",
		},
		confirm: "Revoke key",
		busy: "Revoking…",
		done: (key: string) => `The key ${key}… was revoked.`,
	},
	errors: { key_not_found: "The key no longer exists." },
};

const swahili: typeof english = {
	title: "Funguo za saini",
	lead: (zone) => `Funguo zinazotia saini tokeni za kila mtu. Nyakati ni za ${zone}.`,
	note: "Funguo hubadilika zenyewe kila baada ya siku tisini: mpya huchapishwa dakika kumi na moja kabla ya kutia saini, na ya zamani hubaki imechapishwa kwa siku tisini nyingine. Omba funguo mpya kwa mkono kanuni za shirika lenu zinapotaka; ubatilishe ufunguo tu iwapo huenda mtu mwingine anao.",
	empty: "Hakuna ufunguo. Huduma ya kuingia huzitengeneza inapoanza.",
	key: "Ufunguo",
	algorithms: { ES256: "ES256, wa tokeni za kufikia", RS256: "RS256, wa tokeni za utambulisho" },
	status: "Hali",
	statuses: { pending: "Unasubiri", active: "Unatumika", retired: "Umestaafu" },
	since: "Tangu",
	goesOn: "Kinachofuata",
	goesOnAt: {
		pending: (at) => `Unaweza kutia saini kuanzia ${at}`,
		active: (at) => `Utabadilishwa ${at} au kabla yake`,
		retired: (at) => `Utabaki hadi ${at}`,
	},
	action: "Kubatilisha",
	rotate: {
		label: "Omba funguo mpya",
		title: "Uombe funguo mpya?",
		text: "Funguo mpya zinachapishwa mara moja, na zinatia saini ukiomba tena baada ya dakika kumi na moja. Hakuna anayeondolewa.",
		busy: "Zinaombwa…",
	},
	outcomes: {
		prepared: "Funguo mpya zimechapishwa. Omba tena baada ya dakika kumi na moja, nazo zitatia saini.",
		changed: "Funguo mpya zinatia saini kuanzia sasa. Zilizosainiwa na za zamani zitafaa hadi ziishe.",
		waiting: "Funguo mpya zimechapishwa, lakini bado hazijamaliza dakika kumi na moja. Omba tena baadaye.",
	},
	revoke: {
		label: "Batilisha",
		labelOf: (key) => `Batilisha ufunguo ${key}`,
		title: (key) => `Ubatilishe ufunguo ${key}…?`,
		text: {
			pending: "Bado haujatia saini chochote. Utaondolewa na hautatia saini kamwe.",
			active:
				"Hili ni la dharura. Kila tokeni iliyosainiwa nao itakataliwa ndani ya dakika tano: programu na watu watalazimika kupata mpya. Ufunguo mwingine unatia saini mahali pake mara moja.",
			retired:
				"Hili ni la dharura. Kila tokeni iliyosainiwa nao itakataliwa ndani ya dakika tano: programu na watu watalazimika kupata mpya.",
		},
		confirm: "Batilisha ufunguo",
		busy: "Unabatilishwa…",
		done: (key) => `Ufunguo ${key}… umebatilishwa.`,
	},
	errors: { key_not_found: "Ufunguo huu haupo tena." },
};

export const tables = { en: english, sw: swahili };
export const useKeyTexts = createTexts(tables);
