/**
 * deploy/compose.yaml and the container files, against the Compose specification and against what the
 * services say of themselves.
 */
import { execFileSync } from "node:child_process";
import { servicePurposes } from "@lango/contracts";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { secretsForCompose } from "../../tools/up/deployment-secrets.ts";
import { pages } from "../../tools/up/pages.ts";
import { prefixOf } from "../../tools/up/parts.ts";
import { listGivenKeys } from "../../tools/up/service-keys.ts";
import { nodeFlags } from "../../tools/up/service-process.ts";
import {
	commandOf,
	compose,
	composeText,
	developersVariables,
	faultsOf,
	isRunnable,
	pagesNames,
	portOf,
	read,
	readContainerFile,
	root,
	serviceNames,
	services,
	variablesOf,
} from "./files.ts";

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
const isCompose = ajv.compile({
	...JSON.parse(read("node_modules/dclint/schemas/compose.schema.json")),
	$schema: "http://json-schema.org/draft-07/schema#",
});
const containerFiles = ["services", "pages", "tools"].map((kind) => `deploy/${kind}.Containerfile`);
const ours = Object.entries(compose.services).filter(([, { build }]) => build !== undefined);

test("compose.yaml is one by the Compose specification, which refuses an unknown word in it", () => {
	isCompose(compose);
	expect(isCompose.errors).toBeNull();
	expect(isCompose({ ...compose, services: { auth: { imag: "lango" } } })).toBe(false);
});

test.each([...serviceNames, ...pagesNames])("%s runs with NODE_ENV=production", (name) => {
	expect(compose.services[name]?.environment).toMatchObject({ NODE_ENV: "production" });
});

test("callbacks in the spool of the treasury are on a volume", () => {
	const { environment, volumes } = compose.services["treasury"] ?? {};
	expect(volumes).toEqual([`treasury-spool:${environment?.["TREASURY_SPOOL_DIR"]}`]);
});

test("every optional setting of the payment gateways can be given to the treasury, and is unset otherwise", () => {
	const { environment = {} } = compose.services["treasury"] ?? {};
	const names = [...variablesOf("treasury").keys()].filter((name) => /^(CARDGW|MOBILE_MONEY)_/.test(name));
	expect(names.length).toBeGreaterThan(5);
	for (const name of names) expect([name, environment[name]]).toEqual([name, `\${${name}:-}`]);
});

test("every service and every built page has two containers, with limits and a read-only file system", () => {
	for (const name of [...serviceNames, ...pagesNames]) {
		const container = compose.services[name];
		expect([name, container]).toEqual([
			name,
			expect.objectContaining({ read_only: true, deploy: expect.objectContaining({ replicas: 2 }) }),
		]);
		expect(container?.deploy?.resources?.limits, name).toBeDefined();
		expect(Number.parseInt(container?.stop_grace_period ?? "", 10), name).toBeGreaterThan(10);
	}
});

test("every container has limits, and what keeps data or carries events says whether it is well", () => {
	const unlimited = Object.entries(compose.services).filter(
		([, { deploy }]) => deploy?.resources?.limits === undefined,
	);
	expect(unlimited.map(([name]) => name)).toEqual([]);
	for (const name of ["postgres", "nats", "valkey", ...serviceNames, ...pagesNames])
		expect([name, compose.services[name]?.healthcheck?.test[0]]).toEqual([name, "CMD"]);
});

test.each(serviceNames)("%s is given every setting it needs, and none it does not read", (name) => {
	const given = Object.keys(compose.services[name]?.environment ?? {});
	const shared = Object.keys(compose.services["hospital"]?.environment ?? {});
	const own = given.filter((variable) => variablesOf(name).has(variable) || !shared.includes(variable));
	expect(faultsOf(name, own)).toEqual([]);
	expect(developersVariables(name).filter((variable) => !given.includes(variable))).toEqual([]);
});

test.each(pagesNames)("the pages of %s receive every address that they need", (name) => {
	const { settings } = pages.find((part) => part.name === name) ?? { settings: () => ({ none: "" }) };
	const received = settings(compose.services[name]?.environment ?? {});
	expect(Object.entries(received).filter(([, address]) => !address.startsWith("https://"))).toEqual([]);
});

test("each variable that all containers of services share is read by some service", () => {
	const read = new Set(serviceNames.flatMap((name) => [...variablesOf(name).keys()]));
	const given = serviceNames.flatMap((name) => Object.keys(compose.services[name]?.environment ?? {}));
	expect([...new Set(given)].filter((variable) => !read.has(variable))).toEqual([]);
});

test("every variable of every container is listed in the table of settings", () => {
	const table = read("docs/generated/settings.md");
	const given = ours.flatMap(([, { environment }]) => Object.keys(environment ?? {}));
	expect([...new Set(given)].filter((variable) => !table.includes(`\`${variable}\``))).toEqual([]);
});

test("ports are those of the table, where it listens, in its health check and at the proxy", () => {
	const proxy = read("deploy/Caddyfile");
	for (const name of [...serviceNames, ...pagesNames]) {
		const { environment, healthcheck } = compose.services[name] ?? {};
		const port = String(portOf(name));
		expect([name, environment?.[`${prefixOf(name)}_PORT`]]).toEqual([name, port]);
		expect(environment?.[`${prefixOf(name)}_HOST`]).toBe("0.0.0.0");
		expect(healthcheck?.test.join(" ")).toContain(`http://127.0.0.1:${port}/`);
		expect(proxy).toMatch(new RegExp(`name ${name}\\n\\s+port ${port}\\n`));
	}
	expect(compose.services["hospital"]?.environment).toMatchObject({
		AUTH_INTERNAL_URL: `http://proxy:${portOf("auth")}`,
		SUBSCRIPTIONS_URL: `http://proxy:${portOf("subscriptions")}`,
	});
});

test("databases are prepared and migrated before anything starts, with every service's addresses", () => {
	for (const step of ["databases", "migrations"]) {
		const given = Object.keys(compose.services[step]?.environment ?? {});
		const needed = serviceNames.map((name) => `${prefixOf(name)}_MIGRATION_DATABASE_URL`);
		expect(needed.filter((variable) => !given.includes(variable))).toEqual([]);
	}
	expect(commandOf(compose.services["migrations"] ?? { image: "" })).toEqual([
		"node",
		"tools/migrate.ts",
		"all",
	]);
});

test("every command names a program that is there, and services run with the flags that all runs share", () => {
	for (const [name, container] of ours)
		expect([name, isRunnable(commandOf(container))]).toEqual([name, true]);
	for (const name of serviceNames)
		expect(commandOf(compose.services[name] ?? { image: "" })).toEqual([
			"node",
			...nodeFlags,
			`services/${name}/src/main.ts`,
		]);
});

test("images run the project's version of Node, and not as root", () => {
	const { devDependencies } = JSON.parse(read("package.json"));
	for (const path of containerFiles) {
		const { lines, user, cmd } = readContainerFile(path);
		const bases = lines.filter((line) => line.startsWith("FROM ")).map((line) => line.split(" ")[1]);
		expect([...new Set(bases)]).toEqual([`node:${devDependencies.node}-bookworm-slim`]);
		expect(user).toBe("1000:1000");
		expect(cmd.length).toBeGreaterThan(0);
		const copied = lines
			.filter((line) => /^COPY (?!--from)/.test(line))
			.flatMap((line) => line.split(" ").slice(1, -1));
		expect(copied.filter((source) => !read("package.json") || !isTracked(source))).toEqual([]);
	}
});

const isTracked = (path: string) =>
	execFileSync("git", ["ls-files", "-co", "--exclude-standard", path], { cwd: root, encoding: "utf8" }) !==
	"";

test("the secrets that compose.yaml asks for are those that tools/make-secrets.ts makes", () => {
	const asked = new Set([...composeText.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name ?? ""));
	const made = secretsForCompose(services, "lango.example.com");
	expect(Object.keys(made).toSorted()).toEqual([...asked].toSorted());
	expect(new Set(Object.values(made)).size).toBe(Object.keys(made).length);
});

test.each(services)(
	"$name is given exactly the keys that it needs: its own, and what it accepts",
	(service) => {
		const { name } = service;
		const given = Object.keys(compose.services[name]?.environment ?? {});
		const own = listGivenKeys([service]).map(({ variable }) => variable);
		const accepted = name in servicePurposes ? [`${prefixOf(name)}_API_KEYS`] : [];
		const more: Record<string, string[]> = {
			auth: ["LANGO_KEY_ENCRYPTION_KEYS"],
			pos: ["POS_KEY_ENCRYPTION_KEYS"],
			notifications: ["NOTIFICATIONS_KEY_ENCRYPTION_KEYS", "NOTIFICATIONS_API_KEY"],
			treasury: ["TREASURY_KEY_ENCRYPTION_KEYS", "CARDGW_SECRET_KEY", "CARDGW_PUBLIC_KEY"],
		};
		const keys = given.filter((variable) => /_KEYS?$/.test(variable));
		expect(keys.toSorted()).toEqual([...own, ...accepted, ...(more[name] ?? [])].toSorted());
	},
);
