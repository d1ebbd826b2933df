/** The program as it is deployed, with settings from the environment. See the README. */
import { runService } from "@lango/chassis";
import { bakery } from "./service.ts";

await runService(bakery);
