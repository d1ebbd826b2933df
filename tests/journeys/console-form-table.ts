/** A form of the console, by the names of its fields. */
export type TriedForm = {
	path: string;
	/** The button that opens it, in a dialog. Otherwise it is on the page. */
	open?: string;
	/** The fields that are refused when nothing is entered. */
	empty: readonly string[];
	/** Entries that are refused among right ones, and the fields that are: those of the entries if not said. */
	wrong?: Readonly<Record<string, string>>;
	refused?: readonly string[];
	/** Entries that are sent. Of a box the key is its name and value, or the name of the first one. */
	right: Readonly<Record<string, string | boolean>>;
	/** Whether a question comes before it is sent. */
	isAsked?: true;
};

const limits = ["email", "sms", "push", "whatsapp", "in_app"].flatMap((channel) => [
	`${channel}.per_minute`,
	`${channel}.burst`,
]);
const numbers = { resting_weight: "100", per_second: "10", in_flight_max: "10" };
const server = { name: "Mail", "credentials.host": "mail.uhai.example", "credentials.port": "587" };
const days = { from: "2026-11-01", to: "2026-11-02" };

/** Forms of an organisation. */
export const formsOfTenant: readonly TriedForm[] = [
	{
		...{ path: "people", open: "Invite", empty: ["email", "roles"], wrong: { email: "amina" } },
		right: { email: "amina@example.com", "roles=staff": true },
	},
	{
		...{ path: "outlets", open: "Open an outlet", empty: ["name", "code"], wrong: { code: "?" } },
		right: { name: "Thika", code: "THK" },
	},
	{ path: "access/hospital", open: "Create a role", empty: ["code"], right: { code: "Cleaner" } },
	{
		...{ path: "access/hospital/keys", open: "Create a key", empty: ["name", "permissions"] },
		right: { name: "Door", permissions: true },
	},
	{
		...{ path: "credits", open: "Change the warning", empty: ["threshold"] },
		...{ wrong: { threshold: "-1" }, right: { threshold: "5" } },
	},
	{
		...{ path: "payments", open: "Request payment", empty: ["amount_minor", "description"] },
		wrong: { amount_minor: "much", "customer.phone": "12", "customer.email": "amina@" },
		right: { amount_minor: "100", description: "Tea" },
	},
	{
		...{ path: "payment-pages", open: "Create a page", empty: ["name", "description"] },
		...{ wrong: { amount_minor: "much" }, right: { name: "Fees", description: "Term one" } },
	},
	{
		...{ path: "card-plans", open: "Create a plan", empty: ["name", "amount_minor"] },
		...{ wrong: { amount_minor: "0" }, right: { name: "Gym", amount_minor: "2500" } },
	},
	{
		...{ path: "standing-orders", open: "Request standing order" },
		empty: ["phone", "amount_minor", "start_on", "end_on", "description"],
		wrong: { phone: "12", amount_minor: "1.50" },
		right: {
			...{ phone: "0712345678", amount_minor: "1500", description: "Fees" },
			...{ start_on: "2039-01-01", end_on: "2040-01-01" },
		},
	},
	{
		...{ path: "suppressions", open: "Suppress an address", empty: ["address"] },
		right: { address: "a@b.example" },
	},
	{
		...{ path: "preferences", open: "Add an address", empty: ["address"] },
		right: { address: "a@b.example" },
	},
	{
		...{ path: "providers", open: "Add a provider" },
		empty: [...Object.keys(server), "credentials.fromAddress", ...Object.keys(numbers)],
		wrong: { "credentials.port": "many", per_second: "0" },
		right: { ...server, ...numbers, "credentials.fromAddress": "info@uhai.example" },
	},
	{ path: "payouts/bulk", empty: ["amount_minor-1", "recipient_id-1"], right: {} },
	{
		...{ path: "receipts", open: "Reverse a payment", empty: ["receipt", "remarks"] },
		wrong: { receipt: "no", amount_minor: "1.50" },
		right: { receipt: "SGL91XYZ12", remarks: "Paid twice" },
	},
	{
		...{ path: "receipts", empty: ["asked_receipt"], wrong: { asked_receipt: "no" } },
		right: { asked_receipt: "SGL91XYZ12" },
	},
	{ path: "settings", empty: ["name"], wrong: { colour: "green" }, right: { name: "Uhai" } },
	{ path: "bills", empty: [], wrong: { email: "finance@" }, right: { email: "finance@uhai.example" } },
	{
		...{ path: "payment-settings", empty: ["shortcode"], wrong: { shortcode: "12" } },
		right: { shortcode: "600200" },
	},
	{
		...{ path: "payment-settings", empty: ["reference"], right: { reference: "Counter-1" } },
		wrong: { reference: "a b", amount_minor: "1.50" },
	},
	{
		...{ path: "templates/new", empty: ["group", "name", "channels"], wrong: { group: "?", name: "?" } },
		right: { group: "care", name: "visit", "channels=email": true },
	},
	{
		...{ path: "preferences", empty: [], refused: ["quiet_hours.until"], right: { "quiet_hours.from": "" } },
		wrong: { "quiet_hours.from": "22:00", "quiet_hours.until": "22:00" },
	},
	{ path: "limits", empty: limits, right: {} },
];

/** Forms of the platform. */
export const formsOfPlatform: readonly TriedForm[] = [
	{ path: "halts", open: "Halt payments", empty: ["because"], right: { because: "A test", tenant: "uhai" } },
	{
		...{ path: "plans", open: "Create a plan", empty: ["name", "code", "position"] },
		...{ wrong: { code: "small", position: "-1" }, right: { name: "New", code: "NEW", position: "90" } },
	},
	{
		...{ path: "plans", open: "Create an add-on", empty: ["name", "code"], wrong: { code: "LARGE" } },
		right: { name: "New", code: "new" },
	},
	{
		...{ path: "credits", open: "Add a pack", empty: ["code", "segments", "currency", "price_minor"] },
		wrong: { code: "SMS", segments: "many", currency: "K" },
		right: { code: "sms_9", segments: "9", currency: "KES", price_minor: "9" },
	},
	{
		...{ path: "adjustments", open: "Request adjustment", empty: ["amount_minor", "because"] },
		...{ wrong: { amount_minor: "much" }, right: { amount_minor: "5", because: "A test" } },
	},
	{
		...{ path: "settlements", open: "Fetch settlements", empty: ["from", "to"], right: days },
		...{ wrong: { from: "2026-11-03" }, refused: ["from"] },
	},
	{ path: "reconciliation", open: "Compare now", empty: ["from", "to"], right: days },
	{ path: "reconciliation", open: "Import a statement", empty: ["file"], right: {} },
	{ path: "webhooks", open: "Apply several again", empty: ["from", "to"], right: days },
	{
		...{ path: "providers", open: "Add a provider", wrong: { base_url: "mail" } },
		empty: [...Object.keys(server), ...Object.keys(numbers)],
		right: { ...server, ...numbers },
	},
	{
		...{ path: "plans/STARTER/next", empty: ["price", "currency", "trial_days", "grace_days"] },
		wrong: { price: "much", trial_days: "0.5" },
		right: { price: "1500", currency: "KES", trial_days: "14", grace_days: "7" },
		isAsked: true,
	},
	{
		...{ path: "new-client", empty: ["client_id", "name", "redirect_uris", "scopes"] },
		wrong: { client_id: "?", redirect_uris: "reports.example" },
		right: {
			...{ client_id: "reports", name: "Reports", redirect_uris: "https://r.example/cb" },
			"scopes=openid": true,
		},
	},
];
