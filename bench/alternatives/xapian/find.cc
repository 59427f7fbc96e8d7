// find builds an index of titles with Xapian, and then answers queries from
// standard input.
//
//	find TITLES FOLDER
//
// A line of TITLES is a title, or two with a tab between them. It first prints the
// nanoseconds that building took. A query is a line "KIND<tab>TEXT"; its answer is
// a line with the nanoseconds that it took and the numbers of the best documents.
#include <xapian.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <string>

namespace {

const unsigned limit = 10;

void build(const std::string &titles, const std::string &folder) {
	Xapian::WritableDatabase db(folder, Xapian::DB_CREATE_OR_OVERWRITE);
	Xapian::TermGenerator words;
	words.set_database(db);
	words.set_flags(Xapian::TermGenerator::FLAG_SPELLING);
	std::ifstream in(titles);
	for (std::string line; std::getline(in, line);) {
		Xapian::Document doc;
		words.set_document(doc);
		size_t from = 0, tab;
		do {
			tab = line.find('\t', from);
			words.index_text_without_positions(line.substr(from, tab - from));
			from = tab + 1;
		} while (tab != std::string::npos);
		db.add_document(doc);
	}
	db.commit();
}

// kind_query returns the cheapest query for a kind.
Xapian::Query kind_query(const Xapian::Database &db, Xapian::QueryParser &parser, const std::string &kind, const std::string &text) {
	if (kind == "prefix") {
		return parser.parse_query(text, Xapian::QueryParser::FLAG_PARTIAL);
	}
	if (kind == "typo") {
		std::string meant = db.get_spelling_suggestion(text, 1);
		return parser.parse_query(meant.empty() ? text : meant, 0);
	}
	return parser.parse_query(text, 0);
}

}  // namespace

int main(int argc, char **argv) try {
	if (argc != 3) {
		std::cerr << "usage: find TITLES FOLDER\n";
		return 2;
	}
	auto began = std::chrono::steady_clock::now();
	build(argv[1], argv[2]);
	auto built = std::chrono::steady_clock::now();
	std::cout << std::chrono::duration_cast<std::chrono::nanoseconds>(built - began).count() << std::endl;

	Xapian::Database db(argv[2]);
	Xapian::QueryParser parser;
	parser.set_database(db);
	parser.set_default_op(Xapian::Query::OP_AND);
	Xapian::Enquire enquire(db);
	for (std::string line; std::getline(std::cin, line);) {
		size_t tab = line.find('\t');
		std::string kind = line.substr(0, tab), text = line.substr(tab + 1);
		auto start = std::chrono::steady_clock::now();
		enquire.set_query(kind_query(db, parser, kind, text));
		Xapian::MSet found = enquire.get_mset(0, limit);
		auto end = std::chrono::steady_clock::now();
		std::cout << std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count();
		for (auto i = found.begin(); i != found.end(); ++i) {
			std::cout << ' ' << *i - 1;
		}
		std::cout << std::endl;
	}
	return 0;
} catch (const Xapian::Error &e) {
	std::cerr << "find: " << e.get_description() << '\n';
	return 1;
}
