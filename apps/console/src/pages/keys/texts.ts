import { createTexts, type Language } from "@lango/interface";

const english = {
	title: "Signing keys",
	lead: (zone: string) => `The keys that sign everybody’s tokens. Times are in ${zone}.`,
	note: "Keys change by themselves every ninety days: a new one is published eleven minutes before it signs, and the one before stays published for another ninety. New keys are asked for by hand when the rules of your organisation say so; one is revoked only when somebody else may have it.",
	empty: "There is no key. The sign-on service makes them when it starts.",
	key: "Key",
	algorithms: { ES256: "ES256, for access tokens", RS256: "RS256, for id tokens" },
	status: "State",
	statuses: { pending: "Published, comes next", active: "Signs", retired: "Signs no more" },
	since: "Since",
	goesOn: "What comes",
	goesOnAt: {
		pending: (at: string) => `May sign from ${at}`,
		active: (at: string) => `Is replaced on ${at} at the latest`,
		retired: (at: string) => `Is published until ${at}`,
	},
	deed: "Revoke",
	rotate: "Ask for new keys",
	rotateTitle: "Ask for new keys?",
	rotateText:
		"New keys are published at once and sign once you ask again, eleven minutes later. Nobody is signed out.",
	rotating: "Asking…",
	outcomes: {
		prepared: "New keys are published. Ask again in eleven minutes, and they sign.",
		changed: "The new keys sign from now on. What the ones before signed stays good until it runs out.",
		waiting: "The new keys are published, but not for eleven minutes yet. Ask again then.",
	},
	revoke: "Revoke",
	revokeOne: (key: string) => `Revoke the key ${key}`,
	revokeTitle: (key: string) => `Revoke the key ${key}…?`,
	revokeText: {
		pending: "It has signed nothing yet. It is removed and never signs.",
		active:
			"This is for an emergency. Every token it signed is refused within five minutes: programs and people have to get new ones. Another key signs in its place at once.",
		retired:
			"This is for an emergency. Every token it signed is refused within five minutes: programs and people have to get new ones.",
	},
	revokeConfirm: "Revoke the key",
	revoking: "Revoking…",
	revoked: (key: string) => `The key ${key}… is revoked.`,
	refused: { key_not_found: "The key is gone already." },
};

type Texts = typeof english;

const swahili: Texts = {
	title: "Funguo za sahihi",
	lead: (zone) => `Funguo zinazotia sahihi tokeni za kila mtu. Nyakati ni za ${zone}.`,
	note: "Funguo hubadilika zenyewe kila baada ya siku tisini: mpya hutangazwa dakika kumi na moja kabla ya kutia sahihi, na ya zamani hubaki imetangazwa kwa siku tisini nyingine. Omba funguo mpya kwa mkono kanuni za shirika lenu zinapotaka; ubatilishe ufunguo tu iwapo huenda mtu mwingine anao.",
	empty: "Hakuna ufunguo. Huduma ya kuingia huzitengeneza inapoanza.",
	key: "Ufunguo",
	algorithms: { ES256: "ES256, wa tokeni za kufikia", RS256: "RS256, wa tokeni za utambulisho" },
	status: "Hali",
	statuses: { pending: "Umetangazwa, unafuata", active: "Unatia sahihi", retired: "Hautii sahihi tena" },
	since: "Tangu",
	goesOn: "Kinachofuata",
	goesOnAt: {
		pending: (at) => `Unaweza kutia sahihi kuanzia ${at}`,
		active: (at) => `Utabadilishwa ${at} au kabla yake`,
		retired: (at) => `Utabaki hadi ${at}`,
	},
	deed: "Kubatilisha",
	rotate: "Omba funguo mpya",
	rotateTitle: "Uombe funguo mpya?",
	rotateText:
		"Funguo mpya zinatangazwa mara moja, na zinatia sahihi ukiomba tena baada ya dakika kumi na moja. Hakuna anayeondolewa.",
	rotating: "Zinaombwa…",
	outcomes: {
		prepared: "Funguo mpya zimetangazwa. Omba tena baada ya dakika kumi na moja, nazo zitatia sahihi.",
		changed: "Funguo mpya zinatia sahihi kuanzia sasa. Zilizosainiwa na za zamani zitafaa hadi ziishe.",
		waiting: "Funguo mpya zimetangazwa, lakini bado hazijamaliza dakika kumi na moja. Omba tena baadaye.",
	},
	revoke: "Batilisha",
	revokeOne: (key) => `Batilisha ufunguo ${key}`,
	revokeTitle: (key) => `Ubatilishe ufunguo ${key}…?`,
	revokeText: {
		pending: "Bado haujatia sahihi chochote. Utaondolewa na hautatia sahihi kamwe.",
		active:
			"Hili ni la dharura. Kila tokeni iliyosainiwa nao itakataliwa ndani ya dakika tano: programu na watu watalazimika kupata mpya. Ufunguo mwingine unatia sahihi mahali pake mara moja.",
		retired:
			"Hili ni la dharura. Kila tokeni iliyosainiwa nao itakataliwa ndani ya dakika tano: programu na watu watalazimika kupata mpya.",
	},
	revokeConfirm: "Batilisha ufunguo",
	revoking: "Unabatilishwa…",
	revoked: (key) => `Ufunguo ${key}… umebatilishwa.`,
	refused: { key_not_found: "Ufunguo huu haupo tena." },
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useKeyTexts = createTexts(tables);
