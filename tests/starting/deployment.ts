import { compose, services } from "../../deploy/test/files.ts";
import { secretsForCompose } from "../../tools/up/deployment-secrets.ts";
import { prefixOf } from "../../tools/up/parts.ts";
import { type Container, type Running, runContainer } from "./container.ts";
import type { Image } from "./image.ts";

/** Where everything is here instead of where compose.yaml has it. */
export type Addresses = {
	/** An administrator of the PostgreSQL. */
	adminUrl: string;
	natsUrl: string;
	redisUrl?: string | undefined;
	/** The address of the load balancer of each service. */
	authUrl: string;
	subscriptionsUrl: string;
	/** The issuer of tokens; default: compose's. */
	issuerUrl?: string;
};

/** What compose.yaml runs, without containers: the same commands and variables, at addresses of here. */
export type Deployment = {
	/** What compose gives a container, with the addresses of here and then `own`, of what is given at all. */
	environmentOf(name: string, own?: Record<string, string>): Record<string, string>;
	/** Starts what compose's container `name` runs; `more` has another command, environment, or input. */
	start(name: string, image: Image, more?: Partial<Running>): Container;
	/** A service, when it is ready. */
	startService(name: string, image: Image, port: number): Promise<Container>;
	/** A job or a command; what it said when it has ended with 0. Throws otherwise. */
	run(name: string, image: Image, more?: Partial<Running>): Promise<string>;
	/** Kills what still runs. */
	killAll(): void;
};

/** Long, for a machine that does much else. */
const jobSeconds = 120;

/** `addresses` is asked at every start: they may change. */
export function openDeployment(addresses: () => Addresses): Deployment {
	const secrets = secretsForCompose(services, "lango.test");
	const containers: Container[] = [];

	const environmentOf: Deployment["environmentOf"] = (name, own = {}) => {
		const { adminUrl, natsUrl, redisUrl = "", authUrl, subscriptionsUrl, issuerUrl } = addresses();
		const { host } = new URL(adminUrl);
		const given = Object.entries(compose.services[name]?.environment ?? {}).map(([variable, text]) => {
			const value = text.replaceAll(
				/\$\{(\w+)(?::\?|:-([^}]*))\}/g,
				(_all, secret, usual) => secrets[secret] ?? usual,
			);
			return [variable, value.replace("@postgres:5432/", `@${host}/`)];
		});
		const here: Record<string, string> = {
			DATABASE_URL: adminUrl,
			NATS_URL: natsUrl,
			REDIS_URL: redisUrl,
			AUTH_INTERNAL_URL: authUrl,
			SUBSCRIPTIONS_URL: subscriptionsUrl,
			...(issuerUrl !== undefined && { AUTH_URL: issuerUrl }),
			...own,
		};
		const changed = Object.entries(here).filter(([variable]) => given.some(([known]) => known === variable));
		return { ...Object.fromEntries(given), ...Object.fromEntries(changed) };
	};
	const start: Deployment["start"] = (name, image, more = {}) => {
		const command = compose.services[name]?.command;
		const environment = environmentOf(name);
		const container = runContainer(image, { environment, ...(command && { command }), ...more });
		containers.push(container);
		return container;
	};
	return {
		environmentOf,
		start,
		async startService(name, image, port) {
			const environment = environmentOf(name, { [`${prefixOf(name)}_PORT`]: `${port}` });
			const container = start(name, image, { environment });
			await container.untilReady(`http://127.0.0.1:${port}/readyz`);
			return container;
		},
		async run(name, image, more) {
			const job = start(name, image, more);
			const code = await job.untilEnded(jobSeconds);
			if (code !== 0) throw new Error(`${name} ended with ${code}: ${job.said()}`);
			return job.said();
		},
		killAll() {
			for (const container of containers) container.kill();
		},
	};
}

/** The service asked with a body and a token; the status and the answer's JSON. */
export async function ask(
	url: string,
	{ method = "GET", token, body }: { method?: string; token?: string; body?: object } = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
	const headers = {
		...(body !== undefined && { "content-type": "application/json" }),
		...(token !== undefined && { authorization: `Bearer ${token}` }),
	};
	const sent = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
	const answer = await fetch(url, { ...sent, signal: AbortSignal.timeout(20_000) });
	const text = await answer.text();
	return { status: answer.status, body: text === "" ? {} : JSON.parse(text) };
}
