/** Words of services that templates write in a language: a table of texts by word. */
export type Words = Readonly<Record<string, string>>;

/** Writes a variable whose known values are shown as these texts. Any other value is shown as it is. */
export const inWords = (variable: string, texts: Words): string =>
	[
		`{% case ${variable} %}`,
		...Object.entries(texts).map(([word, text]) => `{% when "${word}" %}${text}`),
		`{% else %}{{ ${variable} }}{% endcase %}`,
	].join("");

/** Why a payment failed, in the words of the treasury and of the sandbox billing. */
export const paymentFailed = {
	en: {
		expired: "It was not paid in time.",
		cancelled_by_payer: "The payer cancelled the request.",
		insufficient_funds: "The payer has not enough money.",
		refused: "The payment was refused.",
		refused_by_sandbox: "The payment was refused by the sandbox.",
		no_billing_method: "No way to pay is set up.",
		not_executed: "The automatic payment was not made.",
		halted: "Payments are paused.",
		unknown: "The payment could not be collected.",
	},
	sw: {
		expired: "Hayakulipwa kwa wakati.",
		cancelled_by_payer: "Mlipaji ameghairi ombi.",
		insufficient_funds: "Mlipaji hana pesa za kutosha.",
		refused: "Malipo yamekataliwa.",
		refused_by_sandbox: "Malipo yamekataliwa na mfumo wa majaribio.",
		no_billing_method: "Hakuna njia ya kulipa iliyowekwa.",
		not_executed: "Malipo ya kujirudia hayakufanyika.",
		halted: "Malipo yamesitishwa kwa sasa.",
		unknown: "Malipo hayakuweza kukusanywa.",
	},
} as const satisfies Record<string, Words>;

/** The limits of plans. */
export const limitNames = {
	en: {
		max_admins: "administrators",
		max_orders_per_day: "orders a day",
		max_emails_per_day: "e-mails a day",
		max_riders: "riders",
	},
	sw: {
		max_admins: "wasimamizi",
		max_orders_per_day: "maagizo kwa siku",
		max_emails_per_day: "barua pepe kwa siku",
		max_riders: "wasafirishaji",
	},
} as const satisfies Record<string, Words>;
