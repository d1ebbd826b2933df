import type { AddressInfo } from "node:net";
import Fastify, { type FastifyError, type FastifyInstance } from "fastify";
import { TooMany } from "./too-many.ts";

const bodyBytesMax = 10 * 1024 * 1024;

/** The HTTP server of a sandbox. Unexpected errors go to standard error and are answered with 500. */
export function buildSandboxApp(): FastifyInstance {
	const app = Fastify({ bodyLimit: bodyBytesMax, forceCloseConnections: true, logger: false });
	app.setErrorHandler<FastifyError>((error, _request, reply) => {
		if (error instanceof TooMany) return reply.code(429).send({ error: "too_many", message: error.message });
		const status = error.statusCode ?? 500;
		if (status >= 500) process.stderr.write(`${error.stack}\n`);
		return reply.code(status).send({ error: error.code ?? "error", message: error.message });
	});
	return app;
}

/** Listens, and returns the address. Port 0 chooses a free one. Throws if the port is in use. */
export async function listen(app: FastifyInstance, at: { port: number; host: string }): Promise<string> {
	await app.listen(at);
	const { port } = app.server.address() as AddressInfo;
	return `http://${at.host.includes(":") ? `[${at.host}]` : at.host}:${port}`;
}
