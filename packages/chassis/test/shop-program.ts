/** The shop as a program, as services are run. */
import { runService } from "../src/index.ts";
import { defineShop } from "./shop.ts";

await runService(defineShop());
