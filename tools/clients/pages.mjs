// The program checks files of a folder, each with a validator: pages (*.html) by the rules of
// search engines for structured data, parts of a sitemap (*.xml) by the schema of the protocol. It
// prints a line for each problem, and how many files it has checked.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import Validator from "@adobe/structured-data-validator";
import WebAutoExtractor from "@marbec/web-auto-extractor";
import { validateXML } from "xmllint-wasm";

const [, , folder] = process.argv;
const schema = await readFile(new URL("node_modules/sitemap/schema/sitemap.xsd", import.meta.url), "utf8");
let checked = 0;
for (const name of (await readdir(folder)).sort()) {
  const text = await readFile(join(folder, name), "utf8");
  if (name.endsWith(".html")) {
    checked++;
    const found = new WebAutoExtractor({ addLocation: true, embedSource: ["rdfa", "microdata"] }).parse(text);
    if (!found.jsonld.Product) console.log(`${name}: no product`);
    for (const issue of await new Validator().validate(found)) {
      if (issue.severity === "ERROR") console.log(`${name}: ${issue.issueMessage} ${issue.fieldNames}`);
    }
  } else if (name.endsWith(".xml")) {
    checked++;
    const result = await validateXML({ xml: [{ fileName: name, contents: text }], schema: [schema], maxMemoryPages: 4096 });
    for (const error of result.errors) console.log(`${name}: ${error.message}`);
  }
}
console.log(`checked ${checked}`);
