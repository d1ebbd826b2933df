import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { FaultAction } from "../faults/fault.ts";
import { specialOf } from "../faults/special-recipients.ts";
import type { Arrival, Letter, Outcome } from "../record/arrival.ts";
import type { Sandbox } from "../sandbox.ts";
import type { Refusal, Submission, Vendor, VendorAnswer, VendorRequest } from "./vendor.ts";

const bodyBytesMax = 10 * 1024 * 1024;

/** One request that sends, from its headers to its answer. */
type Exchange = {
	sandbox: Sandbox;
	vendor: Vendor;
	request: FastifyRequest;
	reply: FastifyReply;
	ordinal: number;
	nth: number;
	/** Undefined until it has been read. */
	body?: string;
	submission?: Submission;
};

/**
 * Receives a request that sends: the first rule that matches decides, else a special recipient, else it is
 * accepted and its reports are planned. Rules that need no content apply before the body is read.
 */
export async function receiveMessage(
	sandbox: Sandbox,
	vendor: Vendor,
	{ request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
	const { records, faults } = sandbox;
	const exchange: Exchange = {
		...{ sandbox, vendor, request, reply },
		...{ ordinal: records.nextOrdinal(), nth: faults.count(vendor.kind) },
	};
	const early = faults.choose({ kind: vendor.kind, ordinal: exchange.ordinal, nth: exchange.nth });
	if (typeof early === "object" && "reset" in early) return dropWith(exchange, "reset");
	exchange.body = await readBody(request.raw);
	const read = vendor.read(toVendorRequest(request, exchange.body), sandbox);
	if ("answer" in read) return sendAnswer(reply, read.answer);
	if (!("letter" in read)) return refuse(exchange, read);
	exchange.submission = read;
	const action = early === "open" ? chooseByContent(exchange, read.letter) : early;
	return apply(exchange, read, action ?? ofSpecial(exchange, read.letter));
}

function chooseByContent({ sandbox, vendor: { kind }, ordinal, nth }: Exchange, letter: Letter) {
	const { to, subject, text } = letter;
	const action = sandbox.faults.choose({
		...{ kind, ordinal, nth, to },
		text: `${subject ?? ""}\n${text ?? ""}`,
	});
	return action === "open" ? undefined : action;
}

function ofSpecial({ vendor, sandbox: { slowMs } }: Exchange, { to, channel }: Letter) {
	const special = to.map(specialOf).find((found) => found !== undefined);
	if (special === "slow") return { delay: { ms: slowMs } };
	return special === undefined ? undefined : vendor.specials(channel)[special];
}

async function apply(
	exchange: Exchange,
	submission: Submission,
	action: FaultAction | undefined,
): Promise<FastifyReply> {
	if (action === undefined || "smtp" in action) return accept(exchange, submission);
	if ("refuse" in action) return refuse(exchange, action.refuse, action.refuse.after);
	if ("down" in action) return refuseWith(exchange, { answer: isDownAnswer, code: null });
	if ("hang" in action || "reset" in action)
		return dropWith(exchange, "hang" in action ? "silence" : "reset");
	if ("delay" in action) await sleep(action.delay.ms);
	return accept(exchange, submission, action);
}

/** The answer of a proxy whose API is out of service: not in the API's format. */
export const isDownAnswer: VendorAnswer = { status: 503, body: "Service Unavailable" };

/** Takes the message and answers, unless the rule resets the connection instead; plans the reports. */
function accept(exchange: Exchange, submission: Submission, action?: FaultAction): FastifyReply {
	const { sandbox, vendor, ordinal, reply } = exchange;
	const { providerId, answer } = vendor.accept(submission, { ...sandbox, ordinal });
	const arrival = record(exchange, { outcome: "accepted", status: answer.status, code: null, providerId });
	const plan = (action !== undefined && "report" in action ? action.report : undefined) ?? {};
	sandbox.reports.plan(vendor, arrival, { ...plan, to: submission.reportTo });
	if (action !== undefined && "accept_then_reset" in action) return reset(exchange);
	reply.raw.once("finish", () => sandbox.records.answer([arrival.id]));
	return sendAnswer(reply, answer);
}

function refuse(exchange: Exchange, refusal: Refusal, afterSeconds?: number): FastifyReply {
	const answer = exchange.vendor.refuse(refusal, exchange.submission?.letter ?? null);
	const after = afterSeconds === undefined ? {} : { "retry-after": String(afterSeconds) };
	return refuseWith(exchange, {
		answer: { ...answer, headers: { ...answer.headers, ...after } },
		code: refusal.code === undefined ? null : String(refusal.code),
	});
}

function refuseWith(
	exchange: Exchange,
	{ answer, code }: { answer: VendorAnswer; code: string | null },
): FastifyReply {
	const { sandbox, reply } = exchange;
	const arrival = record(exchange, { outcome: "refused", status: answer.status, code, providerId: null });
	reply.raw.once("finish", () => sandbox.records.answer([arrival.id]));
	return sendAnswer(reply, answer);
}

function dropWith(exchange: Exchange, end: "reset" | "silence"): FastifyReply {
	record(exchange, { outcome: "dropped", status: null, code: null, providerId: null });
	return end === "reset" ? reset(exchange) : exchange.reply.hijack();
}

/** Ends the connection with a reset, RFC 9293 §3.5.2. */
function reset({ request, reply }: Exchange): FastifyReply {
	reply.hijack();
	request.raw.socket.resetAndDestroy();
	return reply;
}

function record(
	{ sandbox: { records, clock }, vendor: { kind }, ordinal, body, submission }: Exchange,
	end: { outcome: Outcome; status: number | null; code: string | null; providerId: string | null },
): Arrival {
	return records.add({
		...{ ordinal, at: clock.now().toISOString(), kind, answered: false },
		...end,
		account: submission?.account ?? null,
		hash: body === undefined ? null : createHash("sha256").update(body).digest("hex"),
		letter: submission?.letter ?? null,
		state: null,
		events: [],
	});
}

/** Sends the answer of a vendor. */
export function sendAnswer(reply: FastifyReply, { status, body, headers }: VendorAnswer): FastifyReply {
	return reply
		.code(status)
		.type(typeof body === "string" ? "text/plain; charset=utf-8" : "application/json; charset=utf-8")
		.headers(headers ?? {})
		.send(body);
}

/** The request in the form that vendors read. */
export const toVendorRequest = ({ raw, params, query, headers }: FastifyRequest, body: string) => ({
	line: `${raw.method} ${raw.url}`,
	params: params as VendorRequest["params"],
	query: query as VendorRequest["query"],
	...{ headers, body },
});

/** Reads a whole body of at most 10 MB. Throws above that. */
export async function readBody(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of request as AsyncIterable<Buffer>) {
		bytes += chunk.length;
		if (bytes > bodyBytesMax)
			throw Object.assign(new Error("The body exceeds 10 MB."), { statusCode: 413, code: "too_large" });
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}
