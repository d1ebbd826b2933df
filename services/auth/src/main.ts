import { runService } from "@lango/chassis";
import { auth } from "./service.ts";

await runService(auth);
