import type { AddressInfo } from "node:net";
import Fastify, { type FastifyError, type FastifyInstance } from "fastify";
import { installControl } from "./control/control.routes.ts";
import { createFaults } from "./faults/choose-fault.ts";
import { installInbox } from "./inbox/inbox.routes.ts";
import { installVendors } from "./providers/vendor.routes.ts";
import { createClock } from "./record/clock.ts";
import { createIds } from "./record/ids.ts";
import { openRecords, TooMany } from "./record/records.ts";
import { createReports } from "./reports/reports.ts";
import type { Sandbox } from "./sandbox.ts";
import { startMailServer } from "./smtp/smtp-server.ts";

/** The port of the sandbox's HTTP interface. */
export const defaultPort = 4092;
/** The port of the sandbox's SMTP server. */
export const defaultSmtpPort = 4093;

const bodyBytesMax = 10 * 1024 * 1024;

export type SandboxOptions = {
	/** 0 chooses a free port. Default: `defaultPort`. */
	port?: number;
	/** 0 chooses a free port. Default: `defaultSmtpPort`. */
	smtpPort?: number;
	/** Default: 127.0.0.1. */
	host?: string;
	/** Ids and chance follow from it. Default: `lango`. */
	seed?: string;
	/** An append-only file of the ground truth. What it contains is read first. */
	truthFile?: string;
	/** The real time, for tests. */
	now?: () => Date;
	/** The delay of recipients that answer late, in milliseconds. Default: 3,000. */
	slowMs?: number;
	/** The delay of the first report about a message, in milliseconds. Default: 300. */
	reportAfterMs?: number;
};

export type MessagesSandbox = {
	/** The address of the inbox, of `/control`, and of the imitated APIs: `<url>/<kind>`. */
	url: string;
	smtpPort: number;
	/** The certificate of STARTTLS, PEM. It signed itself. */
	certificate: string;
	stop(): Promise<void>;
};

/**
 * Starts the sandbox in this process: the imitated providers, the inbox and the SMTP server. Throws if a port
 * is in use or the truth file cannot be opened.
 */
export async function startMessagesSandbox(options: SandboxOptions = {}): Promise<MessagesSandbox> {
	const host = options.host ?? "127.0.0.1";
	const clock = createClock(options.now ?? (() => new Date()));
	const ids = createIds(options.seed ?? "lango");
	const records = openRecords(options.truthFile);
	const sandbox: Sandbox = {
		records,
		clock,
		ids,
		faults: createFaults(ids),
		reports: createReports({ records, clock, afterMs: options.reportAfterMs ?? 300 }),
		slowMs: options.slowMs ?? 3000,
	};
	const app = buildApp(sandbox);
	await app.listen({ port: options.port ?? defaultPort, host });
	const mail = await startMailServer(sandbox, { port: options.smtpPort ?? defaultSmtpPort, host });
	const { port } = app.server.address() as AddressInfo;
	return {
		url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
		smtpPort: mail.port,
		certificate: mail.certificate,
		stop: async () => {
			sandbox.reports.end();
			await Promise.all([app.close(), mail.stop()]);
			records.close();
		},
	};
}

function buildApp(sandbox: Sandbox): FastifyInstance {
	const app = Fastify({ bodyLimit: bodyBytesMax, forceCloseConnections: true, logger: false });
	app.setErrorHandler<FastifyError>((error, _request, reply) => {
		if (error instanceof TooMany) return reply.code(429).send({ error: "too_many", message: error.message });
		const status = error.statusCode ?? 500;
		if (status >= 500) process.stderr.write(`${error.stack}\n`);
		return reply.code(status).send({ error: error.code ?? "error", message: error.message });
	});
	installInbox(app, sandbox);
	installControl(app, sandbox);
	installVendors(app, sandbox);
	return app;
}
