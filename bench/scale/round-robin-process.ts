/** The round-robin proxy of tests/faults as a process, so that its processor time can be measured. */
import { startRoundRobin } from "../../tests/faults/round-robin.ts";

const { PORT, MEMBERS = "" } = process.env;
await startRoundRobin({ port: Number(PORT), members: MEMBERS.split(","), checkEveryMs: 5_000 });
