/** The round-robin of tests/faults as a process of its own, so that what it takes of a core can be told. */
import { startRoundRobin } from "../../tests/faults/round-robin.ts";

const { PORT, MEMBERS = "" } = process.env;
await startRoundRobin({ port: Number(PORT), members: MEMBERS.split(","), checkEveryMs: 5_000 });
