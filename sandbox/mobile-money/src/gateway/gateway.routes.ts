import { readBasic } from "@lango/sandbox-base";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { findConsumer, invalidateToken, issueToken } from "../accounts/token.ts";
import type { FaultName, OperationName } from "../callbacks/fault-words.ts";
import type { Sandbox } from "../sandbox.ts";
import type { Accepted, Operation } from "./operation.ts";
import { operations } from "./operations.ts";
import { Refusal, refusals, toErrorBody } from "./refusal.ts";

type Exchange = { request: FastifyRequest; reply: FastifyReply; ordinal: number };

/** The API of the gateway: the token, and every operation below each path prefix. */
export function installGateway(app: FastifyInstance, sandbox: Sandbox): void {
	app.register((scope, _options, done) => {
		// The bodies are described for the reference, and read in the gateway's own way.
		scope.setValidatorCompiler(() => () => true);
		scope.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
			const ordinal = sandbox.rows.nextOrdinal();
			if (error.statusCode === undefined || error.statusCode >= 500) throw error;
			return refuse(sandbox, { reply, ordinal }, refusals.payload());
		});
		installToken(scope, sandbox);
		for (const operation of operations)
			for (const path of pathsOf(operation, sandbox)) installOperation(scope, sandbox, { operation, path });
		done();
	});
	app.setNotFoundHandler((_request, reply) =>
		refuse(sandbox, { reply, ordinal: sandbox.rows.nextOrdinal() }, refusals.path()),
	);
}

function pathsOf({ path, otherPath, hasNoPrefix }: Operation, { behaviour }: Sandbox): string[] {
	if (hasNoPrefix === true) return [path];
	const paths = otherPath === undefined ? [path] : [path, otherPath];
	return behaviour.pathPrefixes.flatMap((prefix) => paths.map((one) => `/${prefix}${one}`));
}

function installToken(scope: FastifyInstance, sandbox: Sandbox): void {
	const schema = {
		summary: "A token for the consumer key and secret of basic authentication, for 3600 seconds.",
		description: "A new token makes the one before invalid.",
	};
	scope.get("/oauth/v1/generate", { schema }, (request, reply) =>
		answer(sandbox, { request, reply, ordinal: sandbox.rows.nextOrdinal() }, "token", (ordinal) => {
			const { grant_type: grantType } = request.query as { grant_type?: string };
			if (grantType !== "client_credentials") throw refusals.grantType();
			const login = readBasic(request.headers);
			const issued = login && issueToken(sandbox, { ...login, ordinal });
			if (issued === undefined) throw refusals.credentials();
			return { answer: { access_token: issued.token, expires_in: "3599" } };
		}),
	);
}

function installOperation(
	scope: FastifyInstance,
	sandbox: Sandbox,
	{ operation, path }: { operation: Operation; path: string },
): void {
	const { name, summary, fields } = operation;
	const properties = Object.fromEntries(Object.entries(fields).map(([key, { schema }]) => [key, schema]));
	const required = Object.keys(fields).filter((key) => !Object.hasOwn(properties[key] ?? {}, "x-optional"));
	const schema = { summary, body: { type: "object", properties, required } };
	scope.post(path, { schema }, (request, reply) =>
		answer(sandbox, { request, reply, ordinal: sandbox.rows.nextOrdinal() }, name, (ordinal) => {
			const consumerKey = getConsumer(sandbox, { request, name, ordinal });
			const at = sandbox.clock.now();
			return operation.accept({ sandbox, ordinal, at, consumerKey, body: request.body });
		}),
	);
}

function getConsumer(
	sandbox: Sandbox,
	{ request, name, ordinal }: { request: FastifyRequest; name: OperationName; ordinal: number },
): string {
	const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
	if (token === undefined) throw refusals.header();
	const consumerKey = findConsumer(sandbox, token);
	if (consumerKey === undefined) throw refusals.token();
	if (!happens(sandbox, { name, ordinal }, "token_invalidate")) return consumerKey;
	invalidateToken(sandbox, consumerKey);
	throw refusals.token();
}

/** Answers a call, or does one of the faults of calls instead. */
async function answer(
	sandbox: Sandbox,
	exchange: Exchange,
	...[name, accept]: [OperationName, (ordinal: number) => Accepted | Promise<Accepted>]
): Promise<FastifyReply> {
	const { reply, ordinal } = exchange;
	const isFault = (fault: FaultName) => happens(sandbox, { name, ordinal }, fault);
	if (isFault("maintenance"))
		return reply.code(503).type("text/html").send("<h1>503 Service Unavailable</h1>");
	try {
		if (isFault("spike_arrest")) throw refusals.spike();
		if (isFault("quota")) throw refusals.quota();
		const accepted = await accept(ordinal);
		if (isFault("callback_before_ack")) await accepted.follow?.();
		else if (accepted.follow !== undefined)
			sandbox.background.run(sandbox.behaviour.followAfterMs, accepted.follow);
		if (isFault("reset_after_commit")) return reset(exchange);
		if (isFault("http_500_after_commit")) throw refusals.internal();
		return reply.type("application/json").send(JSON.stringify(accepted.answer));
	} catch (error) {
		if (error instanceof Refusal) return refuse(sandbox, exchange, error);
		throw error;
	}
}

const happens = (
	{ faults }: Sandbox,
	{ name, ordinal }: { name: OperationName; ordinal: number },
	fault: FaultName,
): boolean => faults.take({ operation: name, ordinal, faults: [fault] }) !== undefined;

/** Ends the connection with a reset, RFC 9293 §3.5.2. */
function reset({ request, reply }: Exchange): FastifyReply {
	reply.hijack();
	request.raw.socket.resetAndDestroy();
	return reply;
}

const refuse = (
	{ ids }: Sandbox,
	{ reply, ordinal }: Pick<Exchange, "reply" | "ordinal">,
	refusal: Refusal,
): FastifyReply => reply.code(refusal.status).send(toErrorBody(ids, ordinal, refusal));
