/**
 * The program as it is deployed: its settings come from the environment. The README explains how to run it.
 */
import { runService } from "@lango/chassis";
import { bakery } from "./service.ts";

await runService(bakery);
