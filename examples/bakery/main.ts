/** The program, as it is deployed: its settings come from the environment. The README says how to run it here. */
import { runService } from "@lango/chassis";
import { bakery } from "./service.ts";

await runService(bakery);
