import { createTexts, useCaseNames } from "@lango/interface";

const english = {
	title: (page: string) => `${page} · Lango console`,
	wordmark: "Lango",
	again: "Try again",
	loading: "Loading…",
	unlimited: "no limit",
	allOutlets: "All outlets",
	signIn: "Sign in",
	signOut: "Sign out",
	back: "Back to the overview",
	statuses: {
		active: "Active",
		pending: "Waiting for approval",
		pending_review: "Waiting for approval",
		suspended: "Suspended",
		disabled: "Disabled",
	},
	useCases: useCaseNames.en,
	products: {
		ordering: "Ordering",
		logistics: "Logistics",
		treasury: "Treasury",
		pos: "Point of sale",
		analytics: "Analytics",
		notifications: "Notifications",
		auth: "Sign-in",
		inventory: "Inventory",
		hospital: "Hospital",
		marketflow: "Marketing",
		projects: "Projects",
	},
	plans: { STARTER: "Starter", GROWTH: "Growth", PROFESSIONAL: "Professional" },
	features: {
		customer_portal: "Customer portal",
		loyalty_program: "Loyalty programme",
		multi_outlet: "Multiple outlets",
		whatsapp: "WhatsApp messages",
		api_webhooks: "Webhooks",
		route_optimization: "Route optimization",
	},
	limits: {
		max_admins: "Administrators",
		max_orders_per_day: "Orders a day",
		max_emails_per_day: "E-mails a day",
		max_riders: "Riders",
	},
};

export type Texts = typeof english;

const swahili: Texts = {
	title: (page) => `${page} · Usimamizi wa Lango`,
	wordmark: "Lango",
	again: "Jaribu tena",
	loading: "Inaletwa…",
	unlimited: "bila kikomo",
	allOutlets: "Matawi yote",
	signIn: "Ingia",
	signOut: "Ondoka",
	back: "Rudi kwenye muhtasari",
	statuses: {
		active: "Hai",
		pending: "Anasubiri idhini",
		pending_review: "Anasubiri idhini",
		suspended: "Amesimamishwa",
		disabled: "Amezuiwa",
	},
	useCases: useCaseNames.sw,
	products: {
		ordering: "Maagizo",
		logistics: "Usafirishaji",
		treasury: "Hazina",
		pos: "Mauzo",
		analytics: "Takwimu",
		notifications: "Arifa",
		auth: "Kuingia",
		inventory: "Ghala",
		hospital: "Hospitali",
		marketflow: "Masoko",
		projects: "Miradi",
	},
	plans: { STARTER: "Starter", GROWTH: "Growth", PROFESSIONAL: "Professional" },
	features: {
		customer_portal: "Ukurasa wa wateja",
		loyalty_program: "Zawadi kwa wateja",
		multi_outlet: "Matawi kadhaa",
		whatsapp: "Ujumbe wa WhatsApp",
		api_webhooks: "Webhook",
		route_optimization: "Njia bora",
	},
	limits: {
		max_admins: "Wasimamizi",
		max_orders_per_day: "Maagizo kwa siku",
		max_emails_per_day: "Barua pepe kwa siku",
		max_riders: "Wasafirishaji",
	},
};

/** Texts that several pages use. The texts of one page are in `texts.ts` of its folder. */
export const tables = { en: english, sw: swahili };
export const useTexts = createTexts(tables);

const joinedCode = /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/;

/**
 * The name of a code. A code without a name, such as "cold_chain", becomes "Cold chain"; any other text is
 * returned unchanged.
 */
export function wordFor(words: Readonly<Record<string, string>>, code: string): string {
	const word = Object.hasOwn(words, code) ? words[code] : undefined;
	return word ?? (joinedCode.test(code) ? asWords(code) : code);
}

/** A code of letters, digits, "_" and "-" as words: "night_pharmacist" as "Night pharmacist". */
export function asWords(code: string): string {
	const text = code.replace(/[_-]+/g, " ").trim();
	return text.charAt(0).toUpperCase() + text.slice(1);
}
