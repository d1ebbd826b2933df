import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { table } from "../sign-on/report.ts";
import { describeCostModel, writeCostModel } from "./cost-model.ts";
import { day, hours, ratePerSecond } from "./day.ts";
import { busiestHour, type Cores, coresOfHour, inRush, type Kind, kindsOf, wholeCores } from "./model.ts";
import { readSimulationOptions, type SimulationOptions } from "./options.ts";
import { type Recorded, readRecorded } from "./recorded.ts";
import { type Simulated, simulate } from "./simulate.ts";

const page = join(import.meta.dirname, "../../docs/generated/bench-scale-simulation.md");

/**
 * `npm run bench -- scale --simulate`: checks the cost model of docs/pages/operating.md by letting a day happen, with the times that
 * the bench recorded. Writes its page; with other people or another seed than usual it only prints. Needs no quiet machine.
 */
export function simulateScale(words: readonly string[]): void {
	const options = readSimulationOptions(words);
	const recorded = readRecorded();
	const text = describeSimulation(recorded, options);
	console.log(text);
	if (!options.isUsual) return;
	writeFileSync(page, text);
	writeCostModel(describeCostModel(recorded));
	console.log("Wrote docs/generated/bench-scale-simulation.md and the cost model of docs/pages/operating.md");
}

/** The whole page; the same for the same recording, day.ts and options. */
export function describeSimulation(recorded: Recorded, options: SimulationOptions): string {
	const { people, seed } = options;
	const hour = busiestHour(recorded, people);
	const model = coresOfHour(recorded, hour, people);
	const whole = wholeCores(model);
	const kinds = kindsOf(recorded);
	const of: Of = { recorded, kinds, hour, people };
	const usual = { kinds, people, seed };
	const tried = findCores((cores) => simulate({ ...usual, cores, hours: [hour, hour + 1] }), {
		of,
		first: whole,
	});
	const enough = lastOf(tried);
	const ofDay = simulate({ ...usual, cores: enough.cores, hours: [0, hours] });
	return `<!-- Written by \`npm run bench -- scale --simulate\`; never edited. It follows from bench/scale/recorded.json and bench/scale/day.ts. -->

# Simulation: ${people.toLocaleString("en")} people

What is simulated and how to read it: [bench/README.md](../../bench/README.md). Times were recorded on ${recorded.date} (${recorded.machine}) by \`${recorded.command}\`,
with ${recorded.installation.people.toLocaleString("en")} people in ${recorded.installation.tenants.toLocaleString("en")} tenants. Seed ${seed}.

${assumptions(people)}

## The model

${modelTable(of, model)}

In its busiest hour (from ${hour}:00) the model needs ${model.server.toFixed(2)} cores of the service and ${model.database.toFixed(2)} of PostgreSQL: ${inWords(whole)}. With the rush of the hour counted in it is ${inWords(wholeCores(inRush(model)))}.

## The busiest hour, and how many cores are enough

${searchTable(of, tried)}

Enough is where 99 of 100 requests wait ${day.waitMsMax} ms at most at each of the two, and 99 of 100 sign-ins by password ${day.signInWaitMsMax} ms: ${inWords(enough.cores)}. Request by request, with these:

${kindTable(of, enough.simulated)}

## The day, with ${inWords(enough.cores)}

${ofDay.arrived.toLocaleString("en")} requests came, ${ofDay.served.toLocaleString("en")} were served.

${dayTable(of, ofDay)}

## When everybody has to type a password

${describeAnew(of, seed)}

## Where the model and the simulation differ

${differences(of, { model, whole, tried })}
`;
}

function lastOf(tried: readonly Tried[]): Tried {
	const last = tried.at(-1);
	if (last === undefined) throw new Error("nothing was tried");
	return last;
}

type Of = { recorded: Recorded; kinds: readonly Kind[]; hour: number; people: number };
type Tried = { cores: Cores; simulated: Simulated };

const inWords = ({ server, database }: Cores) =>
	`${server} ${server === 1 ? "core" : "cores"} of the service and ${database} of PostgreSQL`;

function assumptions(people: number): string {
	const rows = day.flows.map(({ flow, aDay, curve, why }) => [
		flow,
		aDay.toFixed(2),
		((people * day.comingShare * aDay) / 1e6).toFixed(2),
		`${curve}, at most ${Math.max(...day.curves[curve])} % in an hour`,
		why,
	]);
	const { minutes, times } = day.rush;
	return `Assumed, all of it in bench/scale/day.ts: ${day.comingShare * 100} of 100 people come on a day; the first ${minutes} minutes of each hour have ${times} times the requests of an even one, its others the
fewer; a core is given to another thread after ${day.sliceMs} ms. A request that finds a core free takes what one that was recorded alone
took; one that had to wait takes as much less as a request takes at full load on the average. As many passwords are hashed at once as the service has cores.

${table(["flow", "a day of one who comes", "millions a day", "curve", "because"], rows)}`;
}

function modelTable({ recorded, hour, people }: Of, model: Cores): string {
	const rows = day.flows.map((habit) => {
		const { serverMs, databaseMs } = recorded.costs[habit.flow];
		const rate = ratePerSecond(habit, hour, people);
		const cores = [(rate * serverMs) / 1_000, (rate * databaseMs) / 1_000].map((one) => one.toFixed(3));
		return [habit.flow, rate.toFixed(1), serverMs.toFixed(2), databaseMs.toFixed(2), ...cores];
	});
	return table(
		[
			"flow",
			"a second",
			"ms of the service",
			"ms of PostgreSQL",
			"cores of the service",
			"cores of PostgreSQL",
		],
		[...rows, ["together", "", "", "", model.server.toFixed(3), model.database.toFixed(3)]],
	);
}

function dayTable({ recorded, kinds, people }: Of, simulated: Simulated): string {
	const rows = Array.from({ length: hours }, (_, hour) => {
		const model = coresOfHour(recorded, hour, people);
		return [
			`${hour}:00`,
			String(kinds.reduce((sum, _, kind) => sum + simulated.seen(hour, kind).both.count(), 0)),
			model.server.toFixed(2),
			model.database.toFixed(2),
			...["server" as const, "database" as const].map((at) =>
				wait(waitOfOthers(simulated, { kinds, hour, at })),
			),
		];
	});
	return table(
		[
			"hour",
			"requests",
			"model: cores of the service",
			"of PostgreSQL",
			"p99 wait at the service, ms",
			"at PostgreSQL, ms",
		],
		rows,
	);
}

const wait = (ms: number) => (ms >= 100 ? ms.toFixed(0) : ms.toFixed(1));

/** How long 99 of 100 of all but the sign-ins by password wait at a station, taken as the longest of any kind. */
function waitOfOthers(
	simulated: Simulated,
	{ kinds, hour, at }: { kinds: readonly Kind[]; hour: number; at: keyof Cores },
): number {
	const waits = kinds.map(({ hashes }, kind) => (hashes ? 0 : simulated.seen(hour, kind)[at].quantile(0.99)));
	return Math.max(...waits);
}

/** From the model's cores on, one more of what is waited for too long, until nobody is; 20 steps at most. */
function findCores(
	run: (cores: Cores) => Simulated,
	{ of: { kinds, hour }, first }: { of: Of; first: Cores },
): Tried[] {
	const tried: Tried[] = [];
	for (let cores = first; tried.length < 20; ) {
		const simulated = run(cores);
		tried.push({ cores, simulated });
		const areSignInsLate = waitToSignIn(simulated, { kinds, hour }) > day.signInWaitMsMax;
		const tooLong = (at: keyof Cores) =>
			Number(
				waitOfOthers(simulated, { kinds, hour, at }) > day.waitMsMax || (at === "server" && areSignInsLate),
			);
		const more = { server: cores.server + tooLong("server"), database: cores.database + tooLong("database") };
		if (more.server === cores.server && more.database === cores.database) return tried;
		cores = more;
	}
	throw new Error("twenty times more cores were not enough: are the figures of day.ts meant so?");
}

function searchTable({ kinds, hour }: Of, tried: readonly Tried[]): string {
	const rows = tried.map(({ cores, simulated }) => [
		String(cores.server),
		String(cores.database),
		`${Math.round((simulated.used.server / cores.server) * 100)} %`,
		`${Math.round((simulated.used.database / cores.database) * 100)} %`,
		...(["server", "database"] as const).map((at) => wait(waitOfOthers(simulated, { kinds, hour, at }))),
		wait(waitToSignIn(simulated, { kinds, hour })),
	]);
	return table(
		[
			"cores of the service",
			"of PostgreSQL",
			"service busy",
			"PostgreSQL busy",
			"p99 wait at the service, ms",
			"at PostgreSQL, ms",
			"p99 wait of a sign-in by password, ms",
		],
		rows,
	);
}

function waitToSignIn(simulated: Simulated, { kinds, hour }: Pick<Of, "kinds" | "hour">): number {
	const all = kinds.flatMap(({ hashes }, kind) =>
		hashes ? [simulated.seen(hour, kind).both.quantile(0.99)] : [],
	);
	return Math.max(...all);
}

function kindTable({ kinds, hour }: Of, simulated: Simulated): string {
	const rows = kinds.map(({ name, server, database }, kind) => {
		const { both } = simulated.seen(hour, kind);
		const waits = [both.mean(), both.quantile(0.5), both.quantile(0.99), both.quantile(0.999)].map(wait);
		return [name, String(both.count()), server.mean.toFixed(2), database.mean.toFixed(2), ...waits];
	});
	return table(
		[
			"request",
			"came",
			"recorded mean ms of the service",
			"of PostgreSQL",
			"mean wait ms",
			"p50",
			"p99",
			"p99.9",
		],
		rows,
	);
}

/** Everybody who comes on the day types a password within the busiest hour, beside all else that comes in it. */
function describeAnew({ recorded, kinds, hour, people }: Of, seed: number): string {
	const perSecond = (people * day.comingShare) / 3_600;
	const { serverMs, databaseMs } = recorded.costs["sign-in"];
	const beside = coresOfHour(recorded, hour, people);
	const model = {
		server: beside.server + (perSecond * serverMs) / 1_000,
		database: beside.database + (perSecond * databaseMs) / 1_000,
	};
	const first = wholeCores(model);
	const rateAt = ({ habit, hashes }: Kind) => ratePerSecond(habit, hour, people) + (hashes ? perSecond : 0);
	const { minutes } = day.passwordsAnew;
	const tried = new Set([1, 1.1, 1.25, 1.5].map((times) => Math.ceil(first.server * times)));
	const rows = [...tried].map((server) => {
		const cores = { ...first, server };
		const simulated = simulate({ kinds, people, seed, cores, hours: [hour, hour + 1], minutes, rateAt });
		return [
			String(cores.server),
			String(cores.database),
			`${Math.round((simulated.used.server / cores.server) * 100)} %`,
			wait(waitToSignIn(simulated, { kinds, hour })),
			wait(waitOfOthers(simulated, { kinds, hour, at: "server" })),
		];
	});
	return `All of a day's ${(people * day.comingShare).toLocaleString("en")} people in one hour are ${perSecond.toFixed(0)} sign-ins a second beside all else: by the model ${model.server.toFixed(1)} cores of the service. ${minutes} minutes of that hour, evenly:

${table(["cores of the service", "of PostgreSQL", "service busy", "p99 wait of a sign-in, ms", "p99 wait of others at the service, ms"], rows)}

Where the service is busy for more than 100 % the line grows as long as the hour lasts; sign-ins are then told to come back (64 wait in each process) instead of waiting so long.`;
}

type Compared = { model: Cores; whole: Cores; tried: readonly Tried[] };

function differences({ kinds, hour }: Of, { model, whole, tried }: Compared): string {
	const enough = lastOf(tried);
	const [first = enough] = tried;
	const busy = ({ simulated, cores }: Tried, of: keyof Cores) =>
		Math.round((simulated.used[of] / cores[of]) * 100);
	const { used } = enough.simulated;
	const waits = (["server", "database"] as const).map((at) =>
		wait(waitOfOthers(first.simulated, { kinds, hour, at })),
	);
	return `- **What is used.** In the busiest hour the model has ${model.server.toFixed(2)} cores of the service and ${model.database.toFixed(2)} of PostgreSQL at work, the simulation ${used.server.toFixed(2)} and ${used.database.toFixed(2)} where they are enough. The more
  idle a core is, the more a request takes of it: caches are cold, and it is woken up for every one. That is no need of more cores, since it goes away as they fill.
- **What is enough.** The model knows no waiting, and no rush within the hour (${day.rush.times} times the requests in its first ${day.rush.minutes} minutes). With its whole cores (${inWords(whole)}) 99 of 100 wait ${waits[0]} ms at most at the service, ${waits[1]} ms at PostgreSQL,
  and sign-ins by password ${wait(waitToSignIn(first.simulated, { kinds, hour }))} ms; enough are ${inWords(enough.cores)}, which are then busy for ${busy(enough, "server")} % and ${busy(enough, "database")} % of the hour.
  The model with the rush counted in says ${inWords(wholeCores(inRush(model)))}.
- **What neither knows.** Disks, networks, locks, and that PostgreSQL on a machine of its own answers later: they add to an answer's time, and take no core.`;
}
