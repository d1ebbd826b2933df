import { buildSandboxApp, createClock, createIds, listen } from "@lango/sandbox-base";
import type { FastifyInstance } from "fastify";
import { installControl } from "./control/control.routes.ts";
import { createFaults } from "./faults/choose-fault.ts";
import { installInbox } from "./inbox/inbox.routes.ts";
import { installVendors } from "./providers/vendor.routes.ts";
import { openRecords } from "./record/records.ts";
import { createReports } from "./reports/reports.ts";
import type { Sandbox } from "./sandbox.ts";
import { startMailServer } from "./smtp/smtp-server.ts";

/** The port of the sandbox's HTTP interface. */
export const defaultPort = 4092;
/** The port of the sandbox's SMTP server. */
export const defaultSmtpPort = 4093;

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
	const clock = createClock(options.now);
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
	const url = await listen(app, { port: options.port ?? defaultPort, host });
	const mail = await startMailServer(sandbox, { port: options.smtpPort ?? defaultSmtpPort, host });
	return {
		url,
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
	const app = buildSandboxApp();
	installInbox(app, sandbox);
	installControl(app, sandbox);
	installVendors(app, sandbox);
	return app;
}
