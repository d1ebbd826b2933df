/**
 * The Helm chart: its values by their schema, what it renders by Kubernetes' own, and both against what the
 * services say of themselves.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { servicePurposes } from "@lango/contracts";
import { Ajv } from "ajv";
import type { IDeployment } from "kubernetes-models/apps/v1";
import { expect, test } from "vitest";
import { secretsForKubernetes } from "../../tools/up/deployment-secrets.ts";
import { pages } from "../../tools/up/pages.ts";
import { prefixOf } from "../../tools/up/parts.ts";
import { listGivenKeys } from "../../tools/up/service-keys.ts";
import {
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
import { type Manifest, readValues, renderChart, type Values } from "./render-chart.ts";

const values = readValues();
const manifests = renderChart(values);
const isValid = new Ajv({ allErrors: true, strict: false }).compile(
	JSON.parse(read("deploy/chart/values.schema.json")),
);

/** Each kind that the chart makes: the schema that Kubernetes publishes for it, and its type. */
const kinds: Record<string, { schema: string; module: string }> = {
	"apps/v1 Deployment": { schema: "IoK8sApiAppsV1Deployment", module: "apps/v1" },
	"batch/v1 Job": { schema: "IoK8sApiBatchV1Job", module: "batch/v1" },
	"networking.k8s.io/v1 Ingress": { schema: "IoK8sApiNetworkingV1Ingress", module: "networking.k8s.io/v1" },
	"policy/v1 PodDisruptionBudget": { schema: "IoK8sApiPolicyV1PodDisruptionBudget", module: "policy/v1" },
	"v1 Service": { schema: "IoK8sApiCoreV1Service", module: "v1" },
};
const kindOf = ({ apiVersion, kind }: Manifest) => {
	const found = kinds[`${apiVersion} ${kind}`];
	if (found === undefined) throw new Error(`the tests know no schema of ${apiVersion} ${kind}`);
	return found;
};

async function listSchemaFaults(manifest: Manifest): Promise<string[]> {
	const { validate } = await import(`kubernetes-models/_schemas/${kindOf(manifest).schema}`);
	if (validate(manifest)) return [];
	return (validate.errors as Array<{ instancePath: string; keyword: string }>).map(
		({ instancePath, keyword }) => `${manifest.kind} ${manifest.metadata.name}${instancePath}: ${keyword}`,
	);
}

/** The schemas let unknown fields pass; the types do not. Answers what the compiler says, "" when nothing. */
function compileManifests(given: readonly Manifest[]): string {
	const folder = join(root, "node_modules/.cache/lango-manifests");
	mkdirSync(folder, { recursive: true });
	const lines = given.map((manifest, index) => {
		const type = `import("kubernetes-models/${kindOf(manifest).module}").I${manifest.kind}`;
		return `export const manifest${index}: ${type} = ${JSON.stringify(manifest, null, "\t")};`;
	});
	writeFileSync(join(folder, "manifests.ts"), lines.join("\n"));
	const words =
		"--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --target es2024 --types node".split(
			" ",
		);
	try {
		execFileSync(
			process.execPath,
			[join(root, "node_modules/typescript/bin/tsc"), ...words, "manifests.ts"],
			{ cwd: folder, encoding: "utf8" },
		);
		return "";
	} catch (error) {
		return String((error as { stdout?: string }).stdout || error);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

const deployments = manifests.filter(({ kind }) => kind === "Deployment") as unknown as IDeployment[];
const deploymentOf = (name: string) => {
	const found = deployments.find(({ metadata }) => metadata?.name === `lango-${name}`);
	const pod = found?.spec?.template.spec;
	const container = pod?.containers[0];
	if (found === undefined || pod === undefined || container === undefined)
		throw new Error(`the chart has no deployment of ${name}`);
	return { deployment: found, pod, container, env: container.env ?? [] };
};

test("the values are as their schema says, which refuses what is misspelt, a host without https and root's ports", () => {
	isValid(values);
	expect(isValid.errors).toBeNull();
	const broken: Values[] = [
		{ ...values, domian: "lango.example.com" },
		{ ...values, frontEnds: { ACCOUNTS_URL: "http://accounts.example.com" } },
		{ ...values, services: { auth: { ...(values["services"] as { auth: object }).auth, port: 80 } } },
		{ ...values, terminationGracePeriodSeconds: 10 },
	];
	for (const one of broken) expect(isValid(one)).toBe(false);
});

test("every manifest is valid by the schema of its kind, and one that is not is found", async () => {
	const faults = await Promise.all(manifests.map(listSchemaFaults));
	expect(faults.flat()).toEqual([]);
	const [first] = deployments;
	const broken = { ...first, spec: { ...first?.spec, replicas: "two" } } as unknown as Manifest;
	expect((await listSchemaFaults(broken)).join()).toContain("/spec/replicas: type");
});

test("no manifest has a field that its kind does not know", () => {
	expect(compileManifests(manifests)).toBe("");
	const [first] = deployments;
	const misspelt = { ...first, spec: { ...first?.spec, replica: 2 } } as unknown as Manifest;
	expect(compileManifests([misspelt])).toMatch(/replica\W+does not exist/);
}, 30_000);

test("no two manifests of a kind share a name, and names fit a DNS label", () => {
	const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
	expect(new Set(names).size).toBe(names.length);
	expect(names.filter((name) => !/ [a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name))).toEqual([]);
});

test.each(serviceNames)("%s is given every setting it needs, and none it does not read", (name) => {
	const given = deploymentOf(name).env.map((variable) => variable.name);
	const shared = deploymentOf("hospital").env.map((variable) => variable.name);
	const own = given.filter((variable) => variablesOf(name).has(variable) || !shared.includes(variable));
	expect(faultsOf(name, own)).toEqual([]);
	expect(developersVariables(name).filter((variable) => !given.includes(variable))).toEqual([]);
	expect(new Set(given).size).toBe(given.length);
});

test.each(pagesNames)("the pages of %s receive every address that they need", (name) => {
	const { settings } = pages.find((part) => part.name === name) ?? { settings: () => ({ none: "" }) };
	const given = deploymentOf(name).env.map((variable) => [variable.name, variable.value]);
	const received = settings(Object.fromEntries(given));
	expect(Object.entries(received).filter(([, address]) => !address.startsWith("https://"))).toEqual([]);
});

test.each([...serviceNames, ...pagesNames])("%s runs with NODE_ENV=production", (name) => {
	expect(deploymentOf(name).env).toContainEqual({ name: "NODE_ENV", value: "production" });
});

test("secrets are referred to, and a value holds none", () => {
	const secret = /_KEYS?$|DATABASE_URL$/;
	for (const { env, pod } of [...serviceNames, ...pagesNames].map(deploymentOf)) {
		const shown = env.filter(
			(variable) => secret.test(variable.name) && variable.valueFrom?.secretKeyRef === undefined,
		);
		expect(shown).toEqual([]);
		expect(pod.automountServiceAccountToken).toBe(false);
	}
	const made = secretsForKubernetes(services, "postgres:5432");
	const asked = JSON.stringify(manifests).matchAll(/"secretKeyRef":\{"name":"lango","key":"(\w+)"\}/g);
	const keys = new Set([...asked].map(([, key]) => key));
	expect(Object.keys(made).toSorted()).toEqual([...keys].toSorted());
});

test("a bus or a Redis that asks for a password has its address in the Secret, and never in a value", () => {
	const secret = { url: "", urlIsSecret: true };
	const rendered = renderChart({ ...values, nats: { ...secret, replicas: 3 }, redis: secret });
	const hospital = JSON.stringify(rendered.find(({ metadata }) => metadata.name === "lango-hospital"));
	for (const key of ["NATS_URL", "REDIS_URL"])
		expect(hospital).toContain(
			`{"name":"${key}","valueFrom":{"secretKeyRef":{"name":"lango","key":"${key}"}}}`,
		);
	const nats = (url: string, urlIsSecret = false) =>
		isValid({ ...values, nats: { url, urlIsSecret, replicas: 1 } });
	expect([nats("tls://nats:4222"), nats("", true), nats("nats://lango:hunter2@nats:4222"), nats("")]).toEqual(
		[...[true, true], ...[false, false]],
	);
});

test("probes, limits, drain and security are those a service needs", () => {
	for (const name of serviceNames) {
		const { deployment, pod, container } = deploymentOf(name);
		expect(container.livenessProbe?.httpGet).toMatchObject({ path: "/healthz", port: "http" });
		expect(container.readinessProbe?.httpGet).toMatchObject({ path: "/readyz", port: "http" });
		expect(container.ports?.[0]?.containerPort).toBe(portOf(name));
		expect(container.resources).toMatchObject({ limits: { memory: expect.any(String) } });
		const pause = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
		expect((pod.terminationGracePeriodSeconds ?? 0) - pause).toBeGreaterThan(10);
		expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
		expect(container.securityContext).toMatchObject({
			readOnlyRootFilesystem: true,
			allowPrivilegeEscalation: false,
			capabilities: { drop: ["ALL"] },
		});
		expect(deployment.spec?.strategy?.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
	}
});

test("every service and every built page has its deployment, its address and its disruption budget", () => {
	const expected = [...serviceNames, ...pagesNames].map((name) => `lango-${name}`).toSorted();
	for (const kind of ["Deployment", "Service", "PodDisruptionBudget"]) {
		const names = manifests.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);
		expect([kind, names.toSorted()]).toEqual([kind, expected]);
	}
});

test("a service that runs once has no disruption budget, which would keep its node from being emptied", () => {
	const services = structuredClone(values["services"]) as Record<string, { replicas: number }>;
	for (const service of Object.values(services)) service.replicas = 1;
	const rendered = renderChart({ ...values, services, ingress: { isEnabled: false } });
	const budgets = rendered.filter(({ kind }) => kind === "PodDisruptionBudget");
	expect(budgets.map(({ metadata }) => metadata.name)).toEqual(pagesNames.map((name) => `lango-${name}`));
	expect(rendered.some(({ kind }) => kind === "Ingress")).toBe(false);
});

test("callbacks in the spool of the treasury are on a volume, of a claim if one is named", () => {
	const volumeOf = (given: Values) => {
		const { spec } = renderChart(given).find(
			({ kind, metadata }) => kind === "Deployment" && metadata.name === "lango-treasury",
		) as unknown as IDeployment;
		const pod = spec?.template.spec;
		const { env = [], volumeMounts = [] } = pod?.containers[0] ?? {};
		const folder = env.find(({ name }) => name === "TREASURY_SPOOL_DIR")?.value;
		const mount = volumeMounts.find(({ mountPath }) => mountPath === folder);
		return pod?.volumes?.find(({ name }) => name === mount?.name);
	};
	expect(volumeOf(values)).toMatchObject({ emptyDir: {} });
	expect(volumeOf({ ...values, treasurySpoolClaim: "treasury-spool" })).toMatchObject({
		persistentVolumeClaim: { claimName: "treasury-spool" },
	});
});

test("a claim with a database of places is mounted at the sign-on service only, and to be read", async () => {
	const given = { ...values, placesClaim: "places" };
	expect([isValid(given), isValid({ ...values, placesClaim: "Not a name" })]).toEqual([true, false]);
	const rendered = renderChart(given);
	const mounted = rendered.filter((manifest) => JSON.stringify(manifest).includes("/lango/places"));
	expect(mounted.map(({ metadata }) => metadata.name)).toEqual(["lango-auth"]);
	const pod = (mounted[0] as unknown as IDeployment).spec?.template.spec;
	expect(pod?.containers[0]?.volumeMounts).toContainEqual({
		...{ name: "places", mountPath: "/lango/places", readOnly: true },
	});
	expect(pod?.volumes).toContainEqual({
		...{ name: "places", persistentVolumeClaim: { claimName: "places", readOnly: true } },
	});
	for (const manifest of mounted) expect(await listSchemaFaults(manifest)).toEqual([]);
	expect(JSON.stringify(manifests)).not.toContain("/lango/places");
});

test("no more copies of an event are asked for than the address of the bus names servers", () => {
	const { url, replicas } = values["nats"] as { url: string; replicas: number };
	expect(replicas).toBeLessThanOrEqual(url.split(",").length);
});

test("what containers run is there, with the entry point of their container file", () => {
	const runs = (file: string, args: readonly string[] = []) =>
		isRunnable([...readContainerFile(`deploy/${file}.Containerfile`).entrypoint, ...args]);
	for (const name of serviceNames) {
		const { container } = deploymentOf(name);
		expect(container.args).toEqual([`services/${name}/src/main.ts`]);
		expect(runs("services", container.args)).toBe(true);
	}
	for (const name of pagesNames) expect(runs("pages", deploymentOf(name).container.args)).toBe(true);
	const job = manifests.find(
		({ kind }) => kind === "Job",
	) as unknown as import("kubernetes-models/batch/v1").IJob;
	const pod = job.spec?.template.spec;
	for (const { args, env = [] } of [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])]) {
		expect(runs("tools", args)).toBe(true);
		const given = env.map((variable) => variable.name);
		expect(given).toEqual(
			expect.arrayContaining(serviceNames.map((name) => `${prefixOf(name)}_MIGRATION_DATABASE_URL`)),
		);
	}
});

test.each(services)(
	"$name is given exactly the keys that it needs: its own, and what it accepts",
	(service) => {
		const { name } = service;
		const given = deploymentOf(name).env.map((variable) => variable.name);
		const own = listGivenKeys([service]).map(({ variable }) => variable);
		const accepted = name in servicePurposes ? [`${prefixOf(name)}_API_KEYS`] : [];
		const sealing: Record<string, string[]> = {
			auth: ["LANGO_KEY_ENCRYPTION_KEYS"],
			pos: ["POS_KEY_ENCRYPTION_KEYS"],
			notifications: ["NOTIFICATIONS_KEY_ENCRYPTION_KEYS", "NOTIFICATIONS_API_KEY"],
			treasury: ["TREASURY_KEY_ENCRYPTION_KEYS"],
		};
		const keys = given.filter((variable) => /_KEYS?$/.test(variable));
		expect(keys.toSorted()).toEqual([...own, ...accepted, ...(sealing[name] ?? [])].toSorted());
	},
);
