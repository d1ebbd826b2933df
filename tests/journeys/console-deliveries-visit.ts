import { openPool } from "@lango/postgres";
import { tokenOf } from "./console-people-visit.ts";
import { registerTenant, until } from "./console-tenant.ts";
import type { SharedConsole } from "./console-visit.ts";

/** Messages of a tenant of a test's own, in several states. */
export type Deliveries = {
	stand: SharedConsole;
	/** The administrator's address. */
	email: string;
	/** The path of the tenant in the console. */
	path: string;
	at: (path: string) => string;
	/** A message by e-mail: sent, refused for good twice, and refused for the moment. */
	mails: string;
	/** A message of tomorrow. */
	scheduled: string;
	/** Addresses of `mails`: one that takes mail, one that does not exist, one that refuses the text. */
	sent: string;
	gone: string;
	full: string;
	/** The delivery to `sent` ends with an unknown outcome. */
	losesOutcome: () => Promise<void>;
	setFaults: (faults: readonly object[]) => Promise<void>;
	/** How many mails arrived at an address. */
	countMails: (to: string) => Promise<number>;
	/** The sandbox behaves as before. */
	close: () => Promise<void>;
};

type Counts = { sent?: number; failed?: number };

const refuse = (address: string, command: string, code: number) => ({
	...{ kind: "smtp", match: { address }, do: { smtp: { command, code } } },
});

/** Sends them, and waits until each e-mail was tried. */
export async function openDeliveries(stand: SharedConsole): Promise<Deliveries> {
	const { slug, email } = await registerTenant(stand, { plan: "PROFESSIONAL" });
	const call = caller(stand, slug, await tokenOf(stand, email));
	const [sent, gone, full, later] = ["sent", "gone", "full", "later"].map(
		(name) => `${name}@${slug}.example`,
	);
	if (sent === undefined || gone === undefined || full === undefined)
		throw new Error("addresses are missing");
	const setFaults = (faults: readonly object[]) => putFaults(stand, faults);
	await setFaults([refuse(gone, "RCPT", 550), refuse(full, "DATA", 554)]);
	const send = async (message: object) => String((await call("POST", "messages", message))["requestId"]);
	const link = { action_link: "https://lango.example/stock" };
	const mails = await send({
		...{ channel: "email", template: "shared/generic_notification" },
		to: [sent, gone, full, "temporary@sandbox.example"],
		data: { name: "Asha", title: "Stock is low", message: "Only 3 left.", ...link },
	});
	await send({
		...{ channel: "sms", template: "shared/approval_required", to: ["+254700000001"] },
		data: { name: "Asha", item_type: "order", item_id: "12", requester: "Neema", ...link },
	});
	const scheduled = await send({
		...{ channel: "email", template: "shared/system_alert", to: [later] },
		send_at: new Date(Date.now() + 86_400_000).toISOString(),
		data: {
			name: "Asha",
			alert_title: "Scale 2",
			alert_message: "No weights.",
			severity: "warning",
			...link,
		},
	});
	const wasTried = ({ sent = 0, failed = 0 }) => sent + failed === 3;
	await until(async () => wasTried((await call("GET", `messages/${mails}`))["counts"] as Counts));
	return {
		...{ stand, email, mails, scheduled, sent, gone, full, setFaults },
		path: `/${slug}`,
		at: (path) => `${stand.urls.console}/${slug}${path}`,
		losesOutcome: () => loseOutcome(stand, mails),
		countMails: async (to) => {
			const query = new URLSearchParams({ to, outcome: "accepted" });
			const answer = await fetch(`${stand.urls["messages-sandbox"]}/control/truth?${query}`);
			return ((await answer.json()) as { items: unknown[] }).items.length;
		},
		close: () => setFaults([]),
	};
}

function caller({ urls }: SharedConsole, slug: string, token: string) {
	return async (method: "GET" | "POST", path: string, body?: object): Promise<Record<string, unknown>> => {
		const answer = await fetch(`${urls.notifications}/api/v1/${slug}/notifications/${path}`, {
			method,
			headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		if (!answer.ok) throw new Error(`${method} ${path} is refused: ${await answer.text()}`);
		return (await answer.json()) as Record<string, unknown>;
	};
}

async function putFaults({ urls }: SharedConsole, faults: readonly object[]): Promise<void> {
	const answer = await fetch(`${urls["messages-sandbox"]}/control/faults`, {
		method: "PUT",
		headers: { "content-type": "application/json" },
		body: JSON.stringify(faults),
	});
	if (!answer.ok) throw new Error(`the sandbox refuses the faults: ${await answer.text()}`);
}

/** A provider that never says what it did takes an hour, so the row is changed in the database. */
async function loseOutcome({ databaseUrl }: SharedConsole, messageId: string): Promise<void> {
	const url = new URL(databaseUrl);
	url.pathname = "/notifications";
	const db = openPool({ url: url.toString(), name: "journey", sizeMax: 1 });
	try {
		await db.query(
			`update message_deliveries set status = 'expired', error_class = 'unknown', error_code = 'outcome_unknown', final_at = now()
			  where message_id = $1 and status = 'sent'`,
			[messageId],
		);
	} finally {
		await db.close();
	}
}
