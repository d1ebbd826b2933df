import type { Agenda, Clock, Deliveries, Faults, Ids, Listeners, Rows, Table } from "@lango/sandbox-base";
import type { Phone } from "./accounts/phone.ts";
import type { Shortcode } from "./accounts/shortcode.ts";
import type { Token } from "./accounts/token.ts";
import type { Background } from "./callbacks/background.ts";
import type { Balance, Movement } from "./ledger/movement.ts";
import type { Prompt } from "./push/prompt.ts";
import type { KeyPair } from "./requests/key-pair.ts";
import type { GatewayRequest } from "./requests/request.ts";
import type { StandingOrder } from "./standing-orders/standing-order.ts";

/** What a program that uses the sandbox may set. */
export type Behaviour = {
	/** The path prefixes of the API, as in `/mobilemoney/stkpush/…`. */
	pathPrefixes: readonly string[];
	/** The name of the receipt in a push callback. */
	receiptKey: string;
	/** The real time between the answer to a call and what follows from it, in milliseconds. */
	followAfterMs: number;
	/** How long a prompt stays open, by the clock. */
	promptSeconds: number;
	/** A phone may not pay the same amount to the same shortcode again within this time. */
	sameAmountSeconds: number;
	/** What the numbers of `Frequency` mean: as our specification says, or as the published reference does. */
	frequencies: "specified" | "published";
};

export type Tables = {
	shortcodes: Table<Shortcode>;
	phones: Table<Phone>;
	/** By consumer key: a new token replaces the old one. */
	tokens: Table<Token>;
	prompts: Table<Prompt>;
	/** When a phone last paid an amount to a shortcode by a prompt. */
	lastPayments: Table<{ at: string }>;
	/** Requests whose result comes by callback, by ConversationID. */
	requests: Table<GatewayRequest>;
	/** By OriginatorConversationID: the ConversationID. */
	originators: Table<{ conversationId: string }>;
	orders: Table<StandingOrder>;
	/** The gateway's own key; one row. */
	keys: Table<KeyPair>;
	/** By receipt. */
	movements: Table<Movement>;
	/** By account. */
	balances: Table<Balance>;
};

/** What the parts of the sandbox share. */
export type Sandbox = {
	rows: Rows;
	tables: Tables;
	clock: Clock;
	agenda: Agenda;
	ids: Ids;
	faults: Faults;
	deliveries: Deliveries;
	background: Background;
	/** Publishes every change of what the page shows. */
	changes: Listeners<undefined>;
	behaviour: Behaviour;
};
