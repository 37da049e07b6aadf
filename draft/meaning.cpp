#include "draft/meaning.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "common/ascii.hpp"

namespace pgveil::draft {
namespace {

// ---- words

// The ASCII spelling of a character of Latin-1 that UTF-8 writes as 0xC3 and this byte.
std::string_view folded(unsigned char second) {
  switch (second & 0xdfU) {  // capital and small letters differ in one bit
    case 0x80:
    case 0x81:
    case 0x82:
    case 0x83:
    case 0x85: return "a";
    case 0x84:
    case 0x86: return "ae";
    case 0x87: return "c";
    case 0x88:
    case 0x89:
    case 0x8a:
    case 0x8b: return "e";
    case 0x8c:
    case 0x8d:
    case 0x8e:
    case 0x8f: return "i";
    case 0x91: return "n";
    case 0x92:
    case 0x93:
    case 0x94:
    case 0x95: return "o";
    case 0x96:
    case 0x98: return "oe";
    case 0x99:
    case 0x9a:
    case 0x9b: return "u";
    case 0x9c: return "ue";
    case 0x9f: return "ss";
    default: return "";
  }
}

using Words = std::vector<std::string>;

class Splitter {
 public:
  Words split(std::string_view name) {
    for (std::size_t i = 0; i < name.size(); ++i) {
      const char c = name[i];
      const bool is_last = i + 1 == name.size();
      if (static_cast<unsigned char>(c) == 0xc3 && !is_last) {
        word_ += folded(static_cast<unsigned char>(name[++i]));
        before_ = 'a';
        continue;
      }
      const bool begins = is_upper(c) && (is_lower(before_) || is_digit(before_));
      // The last capital of several begins a word if a small letter follows: "IPAddress".
      const bool begins_after = is_upper(c) && is_upper(before_) && !is_last && is_lower(name[i + 1]);
      if (begins || begins_after) end_word();
      if (is_letter(c) || is_digit(c)) {
        word_ += lower(c);
      } else {
        end_word();
      }
      before_ = c;
    }
    end_word();
    return std::move(words_);
  }

 private:
  void end_word() {
    if (!word_.empty()) words_.push_back(std::exchange(word_, {}));
  }
  Words words_;
  std::string word_;
  char before_ = ' ';
};

// ---- phrases

// Whether some words in a row, written together, are the phrase. "e mail" and "email" are one phrase.
bool has_run(const Words& words, std::string_view phrase) {
  for (std::size_t from = 0; from < words.size(); ++from) {
    std::string run;
    for (std::size_t i = from; i < words.size() && run.size() < phrase.size(); ++i) run += words[i];
    if (run == phrase) return true;
  }
  return false;
}

// "*x": a word ends so, and has two letters or more before. "x*": a word begins so.
bool has_phrase(const Words& words, std::string_view phrase) {
  if (phrase.starts_with('*')) {
    return std::ranges::any_of(words, [&](const std::string& word) {
      return word.ends_with(phrase.substr(1)) && word.size() >= phrase.size() + 1;
    });
  }
  if (phrase.ends_with('*')) {
    return std::ranges::any_of(words, [&](const std::string& word) {
      return word.starts_with(phrase.substr(0, phrase.size() - 1));
    });
  }
  return has_run(words, phrase);
}

template <class Test>
bool any_phrase(std::string_view phrases, Test test) {
  while (!phrases.empty()) {
    const auto end = std::min(phrases.find(' '), phrases.size());
    if (end > 0 && test(phrases.substr(0, end))) return true;
    phrases.remove_prefix(std::min(end + 1, phrases.size()));
  }
  return false;
}

bool has_any(const Words& words, std::string_view phrases) {
  return any_phrase(phrases, [&](std::string_view phrase) { return has_phrase(words, phrase); });
}

struct MeaningRule {
  Meaning meaning;
  std::string_view phrases;  // written together, separated by spaces
};

// The first rule that fits holds, so the more special ones come first.
constexpr auto kMeanings = std::to_array<MeaningRule>({
    // A count or a flag of something is not the thing itself.
    {Meaning::household,
     "dependents depcount depemployedcount depcollegecount children numchildren childrencount kinder "
     "*kinderzahl "
     "household householdsize haushalt haushaltsgroesse enfants nombreenfants hijos figli filhos kinderen"},
    {Meaning::quantity,
     "count qty quantity anzahl menge stueck stueckzahl quantite nombre cantidad quantita quantidade aantal "
     "visits "
     "lengthofstay los stayduration verweildauer duration dauer duree duracion durata duracao minutes hours "
     "days "
     "discount rabatt remise descuento sconto rate percent prozent points score rating stars level weeks"},
    {Meaning::secret,
     "password passwd passwordhash pwd passwort kennwort motdepasse contrasena senha wachtwoord secret token "
     "apikey "
     "salt hash pin otp resettoken accesstoken refreshtoken signature unterschrift"},
    {Meaning::email,
     "email emailaddress mail mailadresse courriel correo correoelectronico correio *email *mailadresse"},
    {Meaning::telephone,
     "phone telephone tel telefon telefonnr telefonnummer telefoon telefono telefone mobile mobil "
     "mobilnummer handy "
     "handynummer cell cellphone fax telefax portable movil celular cellulare gsm phonenumber *telefon "
     "*phone"},
    {Meaning::national_id,
     "ssn socialsecurity socialsecuritynumber nationalid idnumber idcard personalausweis ausweisnummer "
     "ausweisnr "
     "*ausweisnummer passport passportnumber passportno reisepass sozialversicherungsnummer svnr svnummer "
     "rentenversicherungsnummer steuerid steuernummer taxid tin nino bsn nss nir insee dni nie curp rut cpf "
     "codicefiscale driverslicense driverlicense drivinglicence fuehrerschein *versicherungsnummer ahvnummer "
     "ahv "
     "insurancenumber insuranceno insurancenr policynumber versichertennummer versichertennr kvnr memberid"},
    {Meaning::account,
     "iban bic swift accountnumber accountno kontonummer kontonr cardnumber creditcard creditcardnumber "
     "cardno "
     "kreditkarte kreditkartennummer ccnumber bankaccount compte cuenta conto rekeningnummer"},
    {Meaning::device,
     "ip ipaddress ipaddr ipadresse mac macaddress imei imsi udid deviceid device useragent sessionid cookie "
     "fingerprint url website homepage licenseplate licenceplate plate kennzeichen vin"},
    {Meaning::position,
     "lat latitude lon lng longitude geo geom geog geolocation coordinates koordinaten gps"},
    {Meaning::picture,
     "photo picture image avatar portrait foto bild scan biometric voice dna genome attachment"},
    {Meaning::nationality,
     "birthcountry birthplace placeofbirth countryofbirth geburtsort geburtsland lieunaissance "
     "lieudenaissance "
     "lugarnacimiento lugardenacimiento luogonascita luogodinascita geboorteplaats geboorteland"},
    {Meaning::birth_year,
     "birthyear yearofbirth yob geburtsjahr gebjahr anneenaissance anneedenaissance anonacimiento "
     "annonascita "
     "annodinascita anonascimento geboortejaar birthdecade"},
    {Meaning::birth_part,
     "birthday birthmonth geburtsmonat moisnaissance mesnacimiento mesenascita mesnascimento geboortemaand"},
    {Meaning::birth_date,
     "birthdate dateofbirth dob birth born geburtsdatum gebdatum gebdat geburtstag geboren geburt "
     "datenaissance naissance datedenaissance fechanacimiento fechadenacimiento nacimiento datanascita "
     "datadinascita "
     "nascita datanascimento datadenascimento nascimento geboortedatum birthdt"},
    {Meaning::death_date,
     "deathdate dateofdeath died deceased deceasedat sterbedatum todesdatum verstorben datedeces deces "
     "fallecimiento "
     "decesso morte overlijdensdatum death"},
    {Meaning::age, "age agegroup ageyears ageband alter altersgruppe *alter edad eta idade leeftijd"},
    {Meaning::sex, "sex gender geschlecht sexe genre sexo sesso genero genere geslacht"},
    {Meaning::marital_status,
     "marital maritalstatus maritalstat civilstatus familienstand zivilstand etatcivil situationfamiliale "
     "estadocivil "
     "statocivile burgerlijkestaat"},
    {Meaning::belief,
     "religion religious confession konfession glaube ethnicity ethnic race ethnie etnia raza razza "
     "ethnische "
     "politicalparty party union gewerkschaft croyance religione geloof orientation"},
    {Meaning::nationality,
     "nationality citizenship nation staatsangehoerigkeit staatsbuergerschaft nationalitaet nationalite "
     "nacionalidad "
     "nazionalita nacionalidade nationaliteit nationkey birthcountry birthplace placeofbirth geburtsort "
     "geburtsland "
     "nativecountry lieunaissance lugarnacimiento luogonascita geboorteplaats"},
    {Meaning::language,
     "language languages mothertongue sprache muttersprache langue idioma lingua taal locale"},
    {Meaning::education,
     "education educationlevel educationstatus educationnum degree school schooling schulabschluss bildung "
     "bildungsabschluss abschluss diplome etudes formation educacion estudios istruzione educacao opleiding"},
    {Meaning::salutation,
     "salutation title anrede titel civilite tratamiento titolo tratamento aanhef honorific"},
    {Meaning::given_name,
     "firstname givenname forename middlename vorname vornamen rufname prenom nombres primernombre "
     "nomeproprio voornaam fname "
     "middleinitial initials"},
    {Meaning::family_name,
     "lastname surname familyname secondname maidenname nachname familienname geburtsname zuname "
     "nomdefamille apellido "
     "apellidos cognome sobrenome apelido achternaam lname"},
    {Meaning::street,
     "street streetname streetaddress streetnumber streettype streetno address address1 address2 addr addr1 "
     "addr2 "
     "addressline addressline1 addressline2 adresse strasse strassenname hausnummer hausnr strassehausnummer "
     "rue "
     "calle via rua straat huisnummer direccion indirizzo endereco adres domicile domicilio suite "
     "suitenumber "
     "apartment line1 line2 *strasse *adresse *anschrift anschrift housenumber houseno house shippingaddress "
     "billingaddress"},
    {Meaning::postcode,
     "zip zipcode postcode postalcode postal plz postleitzahl codepostal cp codigopostal cap cep postcodes"},
    {Meaning::city,
     "city town village municipality ort wohnort stadt gemeinde ville commune ciudad municipio citta comune "
     "cidade "
     "stad plaats woonplaats cityname place *wohnort"},
    {Meaning::region,
     "state province region county district bundesland land kanton landkreis kreis departement provincia "
     "estado "
     "regione comarca distrito canton prefecture stateprovince statecode provincie gmtoffset"},
    {Meaning::country,
     "country countrycode countryname countryregion pays pais paese staat wohnland herkunftsland "
     "laendercode"},
    {Meaning::income,
     "salary wage wages income earnings pay payroll gehalt lohn einkommen verdienst salaire revenu salario "
     "sueldo "
     "ingresos stipendio reddito renda loon inkomen bonus pension rente hourlyrate"},
    {Meaning::wealth,
     "balance accountbalance acctbal kontostand saldo credit creditlimit creditrating creditscore schufa "
     "debt schulden "
     "loan kredit darlehen wealth vermoegen assets purchaseestimate capitalgain capitalloss solde deuda "
     "deuda"},
    {Meaning::health,
     "diagnosis diagnoses diagnose *diagnose diagnostic icd icdcode icd10 icd9 disease illness condition "
     "symptom symptoms "
     "krankheit befund therapie therapy treatment behandlung medication medikament drug drugs dose dosage "
     "prescription "
     "rezept allergy allergies allergien procedure ops opscode lab labvalue labresult result testresult hiv "
     "disability "
     "behinderung pflegegrad smoker raucher alcohol pregnant pregnancy diagnostico diagnosi diagnostique "
     "maladie "
     "enfermedad malattia doenca ziekte bloodpressure cholesterol glucose hba1c outcome severity "
     "schweregrad"},
    {Meaning::offence,
     "crime offence offense conviction sentence straftat urteil verdict criminal violation"},
    {Meaning::body,
     "height weight bmi bloodtype bloodgroup groesse gewicht koerpergroesse koerpergewicht blutgruppe taille "
     "poids "
     "peso altura estatura gruppo grupposanguigno eyecolor haircolor heightcm weightkg"},
    {Meaning::free_text,
     "comment comments note notes remark remarks description desc freetext text body message content subject "
     "memo "
     "bemerkung bemerkungen notiz notizen kommentar beschreibung anmerkung commentaire remarque observacion "
     "observaciones nota commento observacao opmerking anamnese reason complaint history bio"},
    {Meaning::login,
     "login username userid loginname benutzername nutzername usuario utente utilisateur nickname handle "
     "gebruikersname screenname displayname"},
    {Meaning::record_number,
     "mrn medicalrecord medicalrecordnumber recordnumber patientnumber patientno chartnumber chart "
     "customernumber "
     "customerno kundennummer kundennr kdnr personalnummer personalnr persnr mitgliedsnummer matrikelnummer "
     "matrikel "
     "fallnummer fallnr aktenzeichen employeenumber membernumber studentnumber numeroclient expediente "
     "barcode uuid "
     "guid externalid contactid leadid caseno casenumber ticketnumber invoicenumber invoiceno "
     "rechnungsnummer "
     "rechnungsnr ordernumber orderno bestellnummer auftragsnummer trackingnumber transactionid"},
    {Meaning::occupation,
     "occupation profession job jobtitle jobcategory beruf berufsgruppe taetigkeit stelle position role "
     "metier "
     "profesion ocupacion professione lavoro profissao cargo beroep funktion workclass department abteilung "
     "dept "
     "departement ward station clinic unit specialty fachrichtung"},
    {Meaning::employer,
     "employer company companyname firma arbeitgeber unternehmen entreprise empresa azienda werkgever "
     "organisation "
     "organization institution"},
    {Meaning::other_person,
     "clerk manager marketmanager mktmanager doctor physician nurse arzt aerztin hausarzt therapist agent "
     "seller salesman salesperson "
     "salesrep teacher lehrer supervisor assignee assignedto owner author editor contact contactname "
     "contactperson "
     "ansprechpartner sachbearbeiter bearbeiter createdby updatedby modifiedby deletedby approvedby "
     "erstelltvon "
     "geaendertvon medecin medico vendedor venditore docteur reportedby handledby"},
    {Meaning::moment,
     "createdat createdon created updatedat updatedon updated modifiedat modified deletedat insertedat "
     "timestamp ts "
     "lastlogin lastseen lastreviewdate lastreview erstelltam geaendertam erstellt geaendert changedat "
     "loadedat "
     "lastmodified validfrom validto"},
    {Meaning::amount,
     "amount price total totalprice totalamount cost costs fee value sum revenue sales profit tax netpaid "
     "paid betrag "
     "preis summe kosten gebuehr umsatz gewinn steuer prix montant cout precio importe coste total prezzo "
     "importo "
     "costo preco valor prijs bedrag netto brutto extendedprice listprice salesprice wholesalecost "
     "supplycost "
     "amt retailprice charge payment"},
    {Meaning::event_date,
     "date datum day fecha data orderdate visitdate admission admitted discharge discharged aufnahme "
     "aufnahmedatum "
     "entlassung entlassungsdatum bestelldatum rechnungsdatum kaufdatum besuchsdatum hiredate hiredon hired "
     "eintrittsdatum eintritt *datum *date joined registered month monat year jahr quarter"},
    {Meaning::category,
     "status type kind category class group priority segment mktsegment flag channel method level code state "
     "art "
     "kategorie klasse gruppe zustand statut categorie tipo estado classe currency waehrung language mode "
     "source "
     "shippriority orderpriority paymentmethod tariff tarif plan"},
    {Meaning::name, "name names fullname nom nombre nome naam bezeichnung names"},
});

// ---- tables and keys

constexpr std::string_view kSurrogates = "id ids key sk pk fk uid uuid guid ref";
constexpr std::string_view kLogs =
    "log logs logging audit history histories event events session sessions message messages mail mails "
    "email queue "
    "outbox inbox notification notifications activity activities protokoll verlauf nachricht nachrichten";

constexpr std::string_view kPersons =
    "person people patient customer client user member employee staff worker student pupil teacher resident "
    "citizen "
    "inhabitant subscriber contact applicant candidate guest visitor driver donor participant proband "
    "respondent "
    "beneficiary voter player passenger physician doctor nurse personnel buyer shopper individual kunde "
    "mitarbeiter "
    "benutzer nutzer mitglied versicherte versicherter einwohner buerger schueler lehrer studierende "
    "angestellte "
    "bewohner mieter fahrer teilnehmer personne usager salarie employe adherent eleve etudiant assure "
    "habitant "
    "persona paciente cliente usuario empleado alumno estudiante miembro ciudadano paziente utente "
    "dipendente "
    "impiegato studente membro cittadino pessoa funcionario aluno persoon klant gebruiker medewerker "
    "leerling inwoner "
    "cust emp";
constexpr std::string_view kPatients = "patient paciente paziente";
constexpr std::string_view kOrganisations =
    "supplier vendor company insurer insurance store shop warehouse branch hospital clinic department "
    "manufacturer "
    "brand bank school university organisation organization institution agency team center centre site page "
    "partner "
    "office facility laboratory pharmacy ward lieferant firma unternehmen krankenkasse versicherung "
    "krankenhaus "
    "klinik abteilung hersteller filiale lager schule behoerde station fournisseur entreprise magasin banque "
    "ecole "
    "proveedor empresa tienda sucursal hospital banco escuela fornitore azienda negozio fornecedor loja "
    "leverancier "
    "bedrijf winkel merchant publisher club";
constexpr std::string_view kAddresses =
    "address adresse anschrift direccion indirizzo endereco adres location";
constexpr std::string_view kKeys =
    "id ids no nr num number nummer key sk pk fk uid uuid guid ref code kennung schluessel numero codigo "
    "codice cod";

// Endings of plurals and of words within compounds.
constexpr auto kEndings =
    std::to_array<std::string_view>({"", "s", "es", "n", "en", "e", "er", "x", "i", "in", "innen", "ies"});

bool is_form_of(std::string_view word, std::string_view stem) {
  // "baby" → "babies"; Italian and Spanish change the last vowel: "paziente" → "pazienti".
  std::string_view root = stem;
  if (word.starts_with(root)) {
    const auto rest = word.substr(root.size());
    return std::ranges::find(kEndings, rest) != kEndings.end();
  }
  const bool changes =
      root.ends_with('y') || root.ends_with('e') || root.ends_with('a') || root.ends_with('o');
  if (!changes || root.size() < 4) return false;
  root.remove_suffix(1);
  if (!word.starts_with(root)) return false;
  const auto rest = word.substr(root.size());
  return rest == "ies" || rest == "i" || rest == "en" || rest == "n";
}

bool is_form_of_any(std::string_view word, std::string_view stems) {
  return any_phrase(stems, [&](std::string_view stem) { return is_form_of(word, stem); });
}

bool is_person_word(std::string_view word) {
  return is_form_of_any(word, kPersons);
}

constexpr auto kNoise = std::to_array<std::string_view>(
    {"tbl",   "table", "tab",    "t",       "app",    "dim",      "fact",     "master", "data",
     "daten", "stamm", "info",   "base",    "list",   "register", "records",  "record", "all",
     "the",   "dbo",   "public", "details", "detail", "profile",  "profiles", "profil"});

// Without what says nothing, at either end: "tbl_customer_master" → "customer".
Words head_words(std::string_view name) {
  Words words = words_of(name);
  const auto is_noise = [](const std::string& word) {
    return are_digits(word) || std::ranges::find(kNoise, word) != kNoise.end();
  };
  while (words.size() > 1 && is_noise(words.back())) words.pop_back();
  while (words.size() > 1 && is_noise(words.front())) words.erase(words.begin());
  return words;
}

// The words of a key's name without those that say that it is one: "customer_id" → {customer}.
std::optional<Words> key_subject(std::string_view name) {
  Words words = words_of(name);
  if (words.empty()) return std::nullopt;
  if (has_any({words.back()}, kKeys)) {
    words.pop_back();
    return words;
  }
  for (const std::string_view ending : {"key", "nummer", "nr", "id", "sk", "no"}) {
    auto& last = words.back();
    if (last.size() >= ending.size() + 3 && last.ends_with(ending)) {
      last.resize(last.size() - ending.size());
      return words;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> words_of(std::string_view name) {
  return Splitter().split(name);
}

std::optional<Meaning> meaning_of(std::string_view name) {
  const Words words = words_of(name);
  for (const auto& rule : kMeanings) {
    if (has_any(words, rule.phrases)) return rule.meaning;
  }
  return std::nullopt;
}

std::string_view describe(Meaning meaning) {
  switch (meaning) {
    case Meaning::given_name: return "a given name";
    case Meaning::family_name: return "a family name";
    case Meaning::name: return "a name";
    case Meaning::national_id: return "an official number of a person";
    case Meaning::email: return "an e-mail address";
    case Meaning::telephone: return "a telephone number";
    case Meaning::street: return "a part of a postal address";
    case Meaning::login: return "a name to log in with";
    case Meaning::secret: return "a secret";
    case Meaning::account: return "the number of an account or a card";
    case Meaning::record_number: return "a number of a person or of a record";
    case Meaning::device: return "a device, a vehicle or a web address";
    case Meaning::position: return "a position on the map";
    case Meaning::picture: return "a picture or a biometric value";
    case Meaning::free_text: return "a free text, which may say anything";
    case Meaning::sex: return "the sex";
    case Meaning::birth_date: return "the date of birth";
    case Meaning::birth_year: return "the year of birth";
    case Meaning::birth_part: return "a part of the date of birth";
    case Meaning::age: return "the age";
    case Meaning::death_date: return "the date of death";
    case Meaning::city: return "a place";
    case Meaning::postcode: return "a postcode";
    case Meaning::region: return "a region";
    case Meaning::country: return "a country";
    case Meaning::nationality: return "the nationality or the place of birth";
    case Meaning::language: return "a language";
    case Meaning::marital_status: return "the marital status";
    case Meaning::household: return "the household";
    case Meaning::occupation: return "the occupation or department";
    case Meaning::education: return "the education";
    case Meaning::employer: return "an employer or organisation";
    case Meaning::belief: return "the religion, ethnicity or conviction";
    case Meaning::salutation: return "the salutation or title";
    case Meaning::body: return "a feature of the body";
    case Meaning::health: return "the health";
    case Meaning::income: return "the income";
    case Meaning::wealth: return "the assets or the credit";
    case Meaning::offence: return "an offence";
    case Meaning::amount: return "an amount of money";
    case Meaning::quantity: return "a quantity";
    case Meaning::event_date: return "the date of an event";
    case Meaning::moment: return "the time at which the row was written";
    case Meaning::category: return "a category";
    case Meaning::other_person: return "another person, who works on it";
  }
  return "";
}

TableMeaning table_meaning(std::string_view name) {
  const Words words = head_words(name);
  if (words.empty()) return TableMeaning::unknown;
  const auto of = [](const std::string& word) {
    if (is_person_word(word)) return TableMeaning::persons;
    if (is_form_of_any(word, kOrganisations)) return TableMeaning::organisations;
    return is_form_of_any(word, kAddresses) ? TableMeaning::addresses : TableMeaning::unknown;
  };
  return of(words.back());
}

bool names_a_person(std::string_view name) {
  return std::ranges::any_of(words_of(name), [](const std::string& word) { return is_person_word(word); });
}

bool names_health(std::string_view name) {
  const Words words = words_of(name);
  return meaning_of(name) == Meaning::health ||
         std::ranges::any_of(words, [](const std::string& word) { return is_form_of_any(word, kPatients); });
}

bool is_key_name(std::string_view name) {
  return key_subject(name).has_value();
}

bool is_surrogate_name(std::string_view name) {
  const auto subject = key_subject(name);
  if (!subject) return false;
  const Words words = words_of(name);
  return has_any({words.back()}, kSurrogates) || words.back().ends_with("id") ||
         words.back().ends_with("key") || words.back().ends_with("sk");
}

bool names_a_log(std::string_view name) {
  return has_any(words_of(name), kLogs);
}

bool is_person_key(std::string_view name) {
  const auto subject = key_subject(name);
  return subject && !subject->empty() && is_person_word(subject->back());
}

std::optional<std::string> subject_of_key(std::string_view name) {
  const auto subject = key_subject(name);
  if (!subject || subject->empty()) return std::nullopt;
  return subject->back();
}

std::string own_word_of_key(std::string_view name) {
  constexpr std::size_t kLeastLetters = 4;  // "nokey" says nothing more than "key"
  const Words words = words_of(name);
  if (words.empty() || has_any({words.back()}, kKeys)) return "";
  return words.back().size() >= kLeastLetters && key_subject(name) ? words.back() : "";
}

std::string head_of_table(std::string_view name) {
  const Words words = head_words(name);
  return words.empty() ? "" : words.back();
}

bool is_same_thing(std::string_view left, std::string_view right) {
  return is_form_of(left, right) || is_form_of(right, left);
}

}  // namespace pgveil::draft
