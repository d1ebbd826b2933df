/**
 * The floor of posting: the same rows by a plain function, one transaction each, on a pool of the plain
 * driver.
 */
import pg from "pg";
import { answerRuns } from "./answer-runs.ts";
import { postFloor } from "./floor.store.ts";

const [, , url = "", connections = "8", shards = "1"] = process.argv;
const pool = new pg.Pool({ connectionString: url, max: Number(connections) });
answerRuns((tenantId) => postFloor(pool, tenantId, Number(shards)));
