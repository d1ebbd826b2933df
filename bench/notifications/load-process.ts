/**
 * A process that posts messages over keep-alive connections, each as soon as the one before is answered or,
 * with `perSecond`, at equal intervals. One wrong response ends the run.
 */
import { type Driven, driveRequests, type Load } from "../drive-requests.ts";
import { reportOf, type Webhook } from "./webhook.ts";

/** A caller of the service. */
export type Sender = { path: string; token: string };

export type Job = Load & {
	/** Used in turn. */
	senders: readonly Sender[];
	/** The members of the body besides `to`. */
	message: Readonly<Record<string, unknown>>;
	/** Recipients of each request. */
	recipients: number;
	/** Reports instead of messages: each is about the next delivery of `addSent`. */
	webhook?: Webhook;
	/** Addresses begin with `timed-`, and the result says when the request of each was sent. */
	isTimed?: boolean;
};
/** The result of a run. */
export type Outcome = Driven & {
	/** When the request for each address was sent, in Unix milliseconds. Empty if the job is not timed. */
	sentAt: Readonly<Record<string, number>>;
};

let sent = 0;
let sentAt: Record<string, number> = {};

async function drive(job: Job): Promise<Outcome> {
	sentAt = {};
	const { webhook } = job;
	const driven = await driveRequests(
		job,
		webhook === undefined
			? { request: () => requestOf(job), status: 202 }
			: { request: () => reportTo(job.url, webhook), status: 200 },
	);
	return { ...driven, sentAt };
}

function requestOf({ url, senders, message, recipients, isTimed = false }: Job): Buffer {
	const { host } = new URL(url);
	const sender = senders[sent % senders.length];
	if (sender === undefined) throw new Error("the job has no senders");
	const to = Array.from({ length: recipients }, () => {
		sent += 1;
		const address = `${isTimed ? "timed" : "person"}-${process.pid}-${sent}@bench.example`;
		if (isTimed) sentAt[address] = Date.now();
		return address;
	});
	const body = JSON.stringify({ ...message, to });
	const head = `POST ${sender.path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${sender.token}\r\n`;
	return Buffer.from(
		`${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
	);
}

let reported = 0;

function reportTo(url: string, webhook: Webhook): Buffer {
	const { path, body, signature } = reportOf(webhook, reported);
	reported += 1;
	const head = `POST ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nx-hub-signature-256: ${signature}\r\n`;
	return Buffer.from(
		`${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
	);
}

process.on("message", async (job: Job) => {
	try {
		process.send?.({ result: await drive(job) });
	} catch (error) {
		process.send?.({ error: error instanceof Error ? error.message : String(error) });
	}
});
process.on("disconnect", () => process.exit(0));
